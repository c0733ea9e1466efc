'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { root, listWorkspaces } = require('./workspaces')

/**
 * The JavaScript blocks of a README that require something: whoever copies one expects it to run.
 * A block that cannot run by itself has `<!-- not run: why -->` on the line above it.
 *
 * @returns {Array<{ line: number, code: string }>}
 */
function examples (markdown) {
  const found = []
  for (const match of markdown.matchAll(/(<!-- not run: [^\n]+ -->\n+)?^```js[^\n]*\n([\s\S]*?)^```$/gm)) {
    const [, notRun, code] = match
    if (notRun === undefined && code.includes('require(')) {
      found.push({ line: markdown.slice(0, match.index).split('\n').length, code })
    }
  }
  return found
}

/** `console.log(x) // y` → `y`, in order. */
function promisedOutput (code) {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text.trim())
}

/** Examples use top-level await, which CommonJS has not. */
function asProgram (code) {
  const wrapped = /\bawait\b/.test(code) ? `(async () => {\n${code}\n})().catch(error => { console.error(error); process.exit(1) })\n` : code
  return `'use strict';\n${wrapped}`
}

/** Runs a program in an empty folder, where all packages of this repository are to be had. */
async function run (code) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-example-'))
  try {
    writeFileSync(path.join(folder, 'example.js'), asProgram(code))
    const env = { ...process.env, NODE_PATH: path.join(root, 'node_modules') }
    const { stdout } = await promisify(execFile)(process.execPath, ['example.js'], { cwd: folder, env, timeout: 25_000 })
    return stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('examples in READMEs', () => {
  const folders = ['.', ...listWorkspaces().map(workspace => workspace.folder)]
  for (const folder of folders.filter(name => existsSync(path.join(root, name, 'README.md')))) {
    const file = path.join(folder, 'README.md')
    for (const { line, code } of examples(readFileSync(path.join(root, file), 'utf8'))) {
      it(`${file}:${line} runs and prints what it says`, async () => {
        const output = (await run(code)).split('\n')
        let from = 0
        for (const text of promisedOutput(code)) {
          const at = output.indexOf(text, from)
          assert.ok(at !== -1, `does not print ${JSON.stringify(text)}, but:\n${output.join('\n')}`)
          from = at + 1
        }
      })
    }
  }

  it('are there', () => {
    const all = folders.filter(name => existsSync(path.join(root, name, 'README.md')))
      .flatMap(name => examples(readFileSync(path.join(root, name, 'README.md'), 'utf8')))
    assert.ok(all.length > 0)
  })
})
