// Tests the page in headless Chromium: node test.cjs PAGE PICTURES
const { chromium } = require("playwright-core");
const fs = require("fs");
const http = require("http");
const path = require("path");

const [page_folder, pictures] = process.argv.slice(2);
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
const webgpu = [
    "--enable-unsafe-webgpu", "--enable-gpu", "--enable-features=Vulkan",
    "--use-vulkan=swiftshader", "--use-webgpu-adapter=swiftshader",
];

function check(condition, words) {
    if (!condition) throw new Error(words);
}

async function test(name, flags, query, backend) {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
        args: ["--no-sandbox", ...software, ...flags],
    });
    const page = await browser.newPage({ viewport: { width: 900, height: 560 }, acceptDownloads: true });
    page.setDefaultTimeout(240_000);
    const errors = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`http://localhost:${server.address().port}/?scene=column${query}`);
    const status = () => page.textContent("#status");
    const until = async (what, is_true) => {
        const start = Date.now();
        while (!is_true(await status())) {
            check(Date.now() - start < 240_000, `${name}: no ${what}; ${await status()}; ${errors}`);
            await page.waitForTimeout(100);
        }
    };
    const particles = async () => Number((await status()).match(/(\d+) particles/)?.[1] ?? 0);
    const time = async () => Number((await status()).match(/t = ([\d.]+) s/)?.[1] ?? 0);

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
    const download = page.waitForEvent("download");
    await page.keyboard.press("F12");
    const file = path.join(pictures, `page-${name}.png`);
    await (await download).saveAs(file);
    const png = fs.readFileSync(file);
    check(png.readUInt32BE(0) === 0x89504e47 && png.length > 10_000, `${name}: no picture`);
    check(errors.length === 0, `${name}: errors on the console: ${errors.join("; ")}`);
    await browser.close();
    console.log(`page: ${name}: ${placed} particles placed, picture of ${png.length} bytes`);
}

server.listen(0, "localhost", async () => {
    try {
        await test("webgl2", [], "&backend=webgl", "Gl");
        await test("webgpu", webgpu, "", "BrowserWebGpu");
        process.exit(0);
    } catch (error) {
        console.error(String(error));
        process.exit(1);
    }
});
