//! Scripts with which batch systems do the runs of a study.

use crate::StudyError;
use crate::folder::Folder;
use lawine_record::output::atomic_write;
use std::path::PathBuf;

/// How a shell calls the program for a study; every part is quoted where that is needed.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Name of the jobs.
    pub name: &'a str,
    /// The study and its options: `lawine study NAME --quick`.
    pub study: &'a str,
    /// Output directory of the study.
    pub out: &'a str,
}

/// Writes a job array for Slurm and a Snakefile; returns their paths.
pub(crate) fn write(
    folder: &Folder,
    command: &Command<'_>,
    runs: usize,
    threads: u32,
) -> Result<[PathBuf; 2], StudyError> {
    let write = |name: &str, text: String| {
        let path = folder.file(name);
        atomic_write(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| StudyError::io("write", &path, e))?;
        Ok::<_, StudyError>(path)
    };
    Ok([
        write("array.sbatch", slurm(command, runs, threads))?,
        write("Snakefile", snakemake(command, runs, threads))?,
    ])
}

/// A job array, a task per run.
fn slurm(command: &Command<'_>, runs: usize, threads: u32) -> String {
    let Command { name, study, out } = command;
    let last = runs - 1;
    format!(
        "#!/bin/bash
# The runs of a study as a Slurm job array. Submit it from the directory in which it was made, and collect the results
# when all runs have ended:
#   array=$(sbatch --parsable {out}/array.sbatch)
#   sbatch --dependency=afterany:\"$array\" --wrap=\"{study} --out {out} --collect\"
# Submitted again, it continues runs that were interrupted, repeats failed ones and skips those that have finished.
# Adapt the limits to the cluster; many allow 1001 tasks at most.
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task={threads}
#SBATCH --time=24:00:00
#SBATCH --output={out}/task-%a.log
{study} --out {out} --run \"$SLURM_ARRAY_TASK_ID\" --resume
"
    )
}

/// A workflow with a rule for the runs and one for the report. A run that fails leaves a result, which the table
/// tells; without any the rule fails.
fn snakemake(command: &Command<'_>, runs: usize, threads: u32) -> String {
    // Braces are Snakemake's, and strings Python's.
    let text = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let python = |text: String| format!("{text:?}");
    let Command { study, out, .. } = command;
    let bare = out.trim_matches('\'');
    let result = python(format!("{}/runs/{{run}}/result.json", text(bare)));
    let report = python(format!("{bare}/report.html"));
    let (study, out) = (text(study), text(out));
    let run = python(format!(
        "{study} --out {out} --run {{wildcards.run}} --resume || test -s {{output:q}}"
    ));
    let collect = python(format!("{study} --out {out} --collect || test -s {{output:q}}"));
    format!(
        "# The runs of a study as a Snakemake workflow: snakemake --snakefile {out}/Snakefile --cores all
rule report:
    input: expand({result}, run=[f\"{{i:03}}\" for i in range({runs})])
    output: {report}
    shell: {collect}

rule run:
    output: {result}
    threads: {threads}
    shell: {run}
"
    )
}
