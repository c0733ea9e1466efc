'use strict'

const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')
const { root, listFiles, listWorkspaces } = require('./workspaces')

/**
 * A block of code in a document. `notRun` is the reason of the comment `<!-- not run: why -->` on the
 * line above it.
 *
 * @typedef {{ line: number, code: string, notRun: string | undefined, isWhole?: boolean }} Block isWhole: it is a program by itself
 */

/** @returns {string[]} READMEs and references, relative to the root */
function documents () {
  const folders = ['.', ...listWorkspaces().map(workspace => workspace.folder)]
  const readmes = folders.map(folder => path.join(folder, 'README.md')).filter(file => existsSync(path.join(root, file)))
  const docs = folders.flatMap(folder => listFiles(folder === '.' ? 'docs' : `${folder}/docs`, /\.md$/))
  const examples = listWorkspaces().flatMap(({ folder }) => listFiles(`${folder}/examples`, /\.md$/))
  return [...readmes, ...docs, ...examples]
}

/** @returns {string} */
function read (file) {
  return readFileSync(path.join(root, file), 'utf8')
}

/**
 * @param {string} markdown
 * @param {string} language what stands behind the fence
 * @returns {Block[]}
 */
function blocks (markdown, language) {
  const fence = new RegExp(`(?:<!-- not run: ([^\\n]+) -->\\n+)?^\`\`\`${language}\\b[^\\n]*\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return [...markdown.matchAll(fence)].map(match => {
    const [all, notRun, code] = match
    const start = match.index + all.indexOf('```')
    return { line: markdown.slice(0, start).split('\n').length, code, notRun }
  })
}

/**
 * Returns the code that a document's examples begin with, if a comment gives it.
 *
 * @param {string} markdown
 * @returns {string | undefined}
 */
function prelude (markdown) {
  return /<!-- examples begin with:\n([\s\S]*?)-->/.exec(markdown)?.[1]
}

/**
 * The JavaScript examples of a document, as programs. Examples that require something stand by
 * themselves: whoever copies one expects it to run. Others run with the document's prelude.
 *
 * @param {string} markdown
 * @returns {Block[]}
 */
function programs (markdown) {
  const begin = prelude(markdown)
  return blocks(markdown, 'js').filter(({ notRun }) => notRun === undefined)
    .filter(({ code }) => code.includes('require(') || begin !== undefined)
    .map(block => ({ ...block, isWhole: block.code.includes('require(') }))
    .map(block => ({ ...block, code: block.isWhole ? block.code : asProgram(`${begin}${block.code}`) }))
}

/** Examples that are parts of a program use top-level await, which CommonJS has not. */
function asProgram (code) {
  const wrapped = /\bawait\b/.test(code) ? `(async () => {\n${code}\n})().catch(error => { console.error(error); process.exit(1) })\n` : code
  return `'use strict';\n${wrapped}`
}

module.exports = { blocks, documents, programs, read }
