// Tests the page in headless Chromium: node test.cjs PAGE PICTURES
// With a scene file as the third argument it only takes the picture of the book, PICTURES/viewer-page.png.
const { chromium } = require("playwright-core");
const fs = require("fs");
const http = require("http");
const path = require("path");

const [page_folder, pictures, scene] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = http.createServer((request, response) => {
    const name = path.basename(new URL(request.url, "http://x").pathname) || "index.html";
    const file = path.join(page_folder, name);
    if (!fs.existsSync(file)) {
        response.writeHead(name === "favicon.ico" ? 204 : 404).end();
        return;
    }
    response.writeHead(200, { "content-type": types[path.extname(name)] ?? "text/plain" });
    fs.createReadStream(file).pipe(response);
});

const software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const quiet = [
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-quic", "--disable-dev-shm-usage",
];
const webgpu = [
    "--enable-unsafe-webgpu", "--enable-gpu", "--enable-features=Vulkan",
    "--use-vulkan=swiftshader", "--use-webgpu-adapter=swiftshader",
];

// Says something, and puts it into the file that CI shows at its end.
function note(words) {
    console.log(words);
    if (process.env.LAWINE_NOTES) fs.appendFileSync(process.env.LAWINE_NOTES, `${words}\n`);
}

function check(condition, words) {
    if (!condition) throw new Error(words);
}

// A tank in space with some liquid, and a stone to be made of liquid too.
const tank = `title = "Tank"
end = 1
[space]
dimension = 3
gravity = [0, -9.81, 0]
[liquid]
spacing = 0.1
[[fill]]
shape.box = { min = [0, 0, 0], max = [1, 0.2, 1] }
[[body]]
name = "tank"
shape.container = { min = [0, 0, 0], max = [1, 1, 1] }
`;
// A block of snow above a floor.
const snow = `title = "Snow"
end = 1
[space]
dimension = 3
gravity = [0, -9.81, 0]
[snow]
cell = 0.05
[[snow.material]]
name = "snow"
snow = { kind = "dry" }
[[fill]]
shape.box = { min = [0, 0.01, 0], max = [0.2, 0.21, 0.2] }
[[body]]
name = "floor"
shape.box = { min = [-0.5, -0.1, -0.5], max = [0.7, 0, 0.7] }
[view]
field = "plastic_volume"
colors = "snow"
range = [0.85, 1]
`;
const stone = "v 0 0 0\nv 0.5 0 0\nv 0 0.5 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// In the page, before it starts: adds up the time of its thread in frames.
function time_frames() {
    const request = window.requestAnimationFrame.bind(window);
    window.thread_time = 0;
    window.requestAnimationFrame = (draw) =>
        request((at) => {
            const start = performance.now();
            draw(at);
            window.thread_time += performance.now() - start;
        });
}

// In the page: counts frames and steps for some seconds, or longer, until the time that is shown has gone on.
async function watch_frames(seconds) {
    const now = () => {
        const text = document.getElementById("status").textContent;
        const number = (pattern) => Number(text.match(pattern)[1]);
        return [number(/(\d+) particles/), number(/t = ([\d.]+) s/), number(/(\d+) steps/)];
    };
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const start = await frame();
    const [[, time, steps], thread_time] = [now(), window.thread_time];
    let [frames, longest, last] = [0, 0, start];
    while (last - start < 1000 * seconds || (now()[1] === time && last - start < 240_000)) {
        const at = await frame();
        [frames, longest, last] = [frames + 1, Math.max(longest, at - last), at];
    }
    const [particles, later, more] = now();
    return {
        particles, frames, longest,
        seconds: (last - start) / 1000,
        time: later - time,
        steps: more - steps,
        thread: (window.thread_time - thread_time) / 1000,
    };
}

const size = { width: 900, height: 560 };

// Opens the page, with ways to look at it.
async function open_page(browser, name, query) {
    const page = await browser.newPage({ viewport: size, acceptDownloads: true });
    page.setDefaultTimeout(240_000);
    await page.addInitScript(time_frames);
    const errors = [];
    // What the graphics device refuses, a shader for instance, comes as a warning.
    const is_bad = (message) => message.type() === "error" || /WGSL|\[Invalid/.test(message.text());
    page.on("console", (message) => is_bad(message) && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("crash", () => (browser.crashed = true));
    await page.goto(`http://localhost:${server.address().port}/${query}`);
    const status = () => page.textContent("#status");
    const until = async (what, is_true) => {
        const start = Date.now();
        while (!is_true(await status())) {
            check(Date.now() - start < 240_000, `${name}: no ${what}; ${await status()}; ${errors}`);
            await page.waitForTimeout(100);
        }
    };
    const number = async (pattern) => Number((await status()).match(pattern)?.[1] ?? 0);
    // Chromium shows a file chooser only within five seconds of a key. A page in software may answer later, and a key
    // right after the page has changed its size may be lost: then, and only then, the key is pressed again.
    const open = async (name, text) => {
        for (let pressed = 1; pressed <= 5; pressed++) {
            const is_refusal = (message) => /File chooser .* user activation/.test(message.text());
            const refused = page.waitForEvent("console", is_refusal).then(() => null);
            const shown = page.waitForEvent("filechooser");
            // Those that do not come end when the page is closed.
            for (const promise of [refused, shown]) promise.catch(() => null);
            await page.keyboard.press("o");
            const lost = new Promise((resolve) => setTimeout(resolve, 20_000, null));
            const chooser = await Promise.race([refused, shown, lost]);
            if (chooser) {
                await chooser.setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
                return;
            }
            note(`page: pressed O again, the page answered too late for a file chooser or not at all: ${await status()}`);
        }
        check(false, `no file chooser for ${name} after five times`);
    };
    const picture = async (file) => {
        const download = page.waitForEvent("download");
        await page.keyboard.press("F12");
        await (await download).saveAs(path.join(pictures, file));
        const png = fs.readFileSync(path.join(pictures, file));
        check(png.readUInt32BE(0) === 0x89504e47 && png.length > 10_000, `${name}: no picture`);
        return png.length;
    };
    const no_errors = () => check(errors.length === 0, `${name}: errors on the console: ${errors.join("; ")}`);
    return { page, errors, status, until, number, open, picture, no_errors };
}

// Snow that the graphics device computes and draws from its own memory.
async function test_snow(browser, name) {
    const query = "?scene=column&device=gpu&selftest=snow";
    const { page, status, until, number, open, picture, no_errors } = await open_page(browser, name, query);
    const particles = () => number(/(\d+) particles/);
    const steps = () => number(/(\d+) steps/);
    await until("column", (text) => /[1-9]\d* particles.*computed by cpu/.test(text));
    await page.locator("#canvas").focus();
    await page.keyboard.press(" ");
    // In software drawing takes longer than computing.
    await page.setViewportSize({ width: 420, height: 200 });
    const start = Date.now();
    await until("comparison with the processor", (text) => text.includes("snow on the graphics device"));
    const apart = await number(/positions within ([\d.e-]+) cells after 100 steps/);
    check(apart > 0 && apart < 1e-3, `${name}: ${await status()}`);
    const compared = (Date.now() - start) / 1000;
    await page.setViewportSize(size);

    await open("snow.toml", snow);
    await until("snow on the device", (text) => /^snow: 512 particles.*computed by gpu/.test(text));
    await page.keyboard.press(" ");
    await until("steps", (text) => Number(text.match(/(\d+) steps/)?.[1]) > 20);
    check((await particles()) === 512, `${name}: ${await status()}`);
    // An order for which the particles have to come from the device.
    await page.mouse.click(340 + 280, 150);
    await until("click", (text) => Number(text.match(/(\d+) particles/)?.[1]) > 512);
    const placed = (await particles()) - 512;
    await page.keyboard.press(" ");
    let before;
    do {
        before = await steps();
        await page.waitForTimeout(1000);
    } while ((await steps()) !== before);
    await page.keyboard.press("n");
    await until("single step", (text) => Number(text.match(/(\d+) steps/)?.[1]) === before + 1);
    check((await status()).includes("computed by gpu"), `${name}: ${await status()}`);
    await picture("page-snow.png");
    await page.keyboard.press("Delete");
    await until("clearing", (text) => /\b0 particles/.test(text));
    await picture("page-no-snow.png");
    no_errors();
    console.log(
        `page: ${name}: snow on the graphics device: positions within ${apart} cells of the processor's after ` +
            `100 steps (${compared.toFixed(0)} s), ${placed} particles placed`,
    );
    await page.close();
}

async function test(browser, name, query, backend) {
    const { page, errors, status, until, number, open, picture, no_errors } =
        await open_page(browser, name, `?scene=column${query}`);
    const particles = () => number(/(\d+) particles/);
    const time = () => number(/t = ([\d.]+) s/);

    await until("particles", (text) => /[1-9]\d* particles/.test(text));
    check((await status()).includes(backend), `${name}: drawn by ${await status()}`);
    const start = await time();
    await until("time", (text) => Number(text.match(/t = ([\d.]+) s/)?.[1] ?? 0) > start);
    await page.locator("#canvas").focus();
    await page.keyboard.press("h");
    await until("help", (text) => text.includes("help open"));
    await page.keyboard.press("h");
    await until("end of the help", (text) => !text.includes("help open"));
    await page.keyboard.press("Delete");
    await until("empty column", (text) => /\b0 particles/.test(text));
    await page.mouse.click(340 + 280, 200);
    await until("click", (text) => /[1-9]\d* particles/.test(text));
    const placed = await particles();
    const bytes = await picture(`page-${name}.png`);

    // A scene and a mesh from files; a click fills the mesh.
    await open("tank.toml", tank);
    await until("tank", (text) => /^tank: 200 particles/.test(text));
    await open("stone.obj", stone);
    await until("mesh in hand", (text) => text.includes("a click places stone.obj"));
    await page.mouse.click(340 + 280, 150);
    await until("mesh", (text) => Number(text.match(/(\d+) particles/)?.[1]) > 200);
    const filled = (await particles()) - 200;

    no_errors();

    // A dam of thousands of particles is played on the one thread of the page.
    await page.goto(`http://localhost:${server.address().port}/?scene=dam-break${query}`);
    // What the page that was left had to say at its end does not count.
    errors.length = 0;
    await until("dam", (text) => /^dam-break: [1-9]\d{3} particles/.test(text) && text.includes(backend));
    await until("its steps", (text) => Number(text.match(/(\d+) steps/)?.[1]) > 10);
    const played = await page.evaluate(watch_frames, 5);
    check(played.frames > 0 && played.steps > 0 && played.time > 0, `${name}: ${JSON.stringify(played)}`);
    await page.locator("#canvas").focus();
    await page.keyboard.press("h");
    await until("help of the dam", (text) => text.includes("help open"));
    no_errors();
    console.log(`page: ${name}: ${placed} particles placed, picture of ${bytes} bytes, ${filled} particles in a mesh`);
    const { frames, steps, thread, seconds } = played;
    console.log(
        `page: ${name}: dam-break with ${played.particles} particles: ${(steps / seconds).toFixed(0)} steps/s, ` +
            `${(frames / seconds).toFixed(1)} frames/s drawn in software, the longest ${played.longest.toFixed(0)} ms; ` +
            `on the thread of the page ${((1000 * thread) / frames).toFixed(0)} ms a frame, ` +
            `${(steps / thread).toFixed(0)} steps/s`,
    );
}

// The page while a dam breaks that was opened from a file, with two blocks of liquid placed above it.
async function take_picture(browser) {
    const { page, until, open } = await open_page(browser, "webgl2", "?scene=column&backend=webgl");
    await until("particles", (text) => /[1-9]\d* particles/.test(text));
    await page.setViewportSize({ width: 1180, height: 720 });
    await page.locator("#canvas").focus();
    const is_later = (time) => (text) => Number(text.match(/t = ([\d.]+) s/)?.[1] ?? 0) > time;
    await open("dam.toml", fs.readFileSync(scene, "utf8"));
    await until("dam", (text) => /^dam: 1800 particles/.test(text));
    await until("time before the clicks", is_later(0.2));
    await page.mouse.click(760, 210);
    await page.mouse.click(860, 275);
    await until("clicks", (text) => Number(text.match(/(\d+) particles/)?.[1]) > 2000);
    await until("time after the clicks", is_later(0.3));
    await page.mouse.move(950, 250);
    await page.waitForTimeout(2000);
    await page.screenshot({ path: path.join(pictures, "viewer-page.png") });
}

// Tries it in a new browser, and a second time if the first one crashed: Chromium in software does, seldom.
async function with_browser(flags, tests, attempts = 2) {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
        args: ["--no-sandbox", ...quiet, ...software, ...flags],
        timeout: 240_000,
    });
    try {
        await tests(browser);
    } catch (error) {
        // The news of a crash may come after the error.
        await new Promise((resolve) => setTimeout(resolve, 2000));
        if (attempts === 1 || (browser.isConnected() && !browser.crashed)) throw error;
        note(`page: tried again, the browser crashed: ${error}`);
        await with_browser(flags, tests, attempts - 1);
    } finally {
        await browser.close();
    }
}

server.listen(0, "localhost", async () => {
    try {
        if (scene) {
            await with_browser([], take_picture);
            process.exit(0);
        }
        await with_browser([], (browser) => test(browser, "webgl2", "&backend=webgl", "Gl"));
        await with_browser(webgpu, (browser) => test(browser, "webgpu", "", "BrowserWebGpu"));
        await with_browser(webgpu, (browser) => test_snow(browser, "webgpu"));
        note("page: ran by WebGL2 and by WebGPU");
        process.exit(0);
    } catch (error) {
        console.log(String(error));
        process.exit(1);
    }
});
