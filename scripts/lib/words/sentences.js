'use strict'

/** @typedef {{ line: number, text: string }} Block a comment or a paragraph, on one line */

const CLEANED = /^\s*(\*|\/\/|\/\*\*?)?\s?/

/**
 * The comments of JavaScript, TypeScript and C++. Lines of `//` that follow each other are one. Tags
 * of JSDoc begin a comment of their own.
 *
 * @param {string} code
 * @returns {Block[]}
 */
function comments (code) {
  /** @type {Block[]} */
  const found = []
  let inside = false
  let open = false
  for (const [index, line] of code.split('\n').entries()) {
    const begins = !inside && /^\s*\/\*/.test(line)
    const isComment = inside || begins || /^\s*\/\/[^/]/.test(line)
    if (isComment) {
      const text = line.replace(/\*\/.*$/, '').replace(CLEANED, '').trim()
      if (!open || begins || text === '' || text.startsWith('@')) found.push({ line: index + 1, text: textOf(text) })
      else found[found.length - 1].text += ` ${text}`
      open = text !== ''
    } else open = false
    if (begins || inside) inside = !line.includes('*/')
    if (!inside && line.includes('*/')) open = false
  }
  return found.filter(({ text }) => text !== '')
}

/**
 * Returns the text of a JSDoc tag, without its type and its name.
 *
 * @param {string} text
 */
function textOf (text) {
  if (/^@(type|typedef|template|see|import)\b/.test(text)) return ''
  return text.replace(/^@(param|property) \{.*?\}+ \S+ ?/, '').replace(/^@\w+ (\{.*?\}+ ?)?/, '')
}

/**
 * Paragraphs and items of lists of Markdown. Code, headings and comments are left out; a cell of a
 * table is a block of its own.
 *
 * @param {string} markdown
 * @returns {Block[]}
 */
function paragraphs (markdown) {
  const plain = markdown.replace(/^```[\s\S]*?^```$|<!--[\s\S]*?-->/gm, code => code.replace(/[^\n]/g, ''))
  /** @type {Block[]} */
  const found = []
  let open = false
  for (const [index, line] of plain.split('\n').entries()) {
    const text = line.trim()
    if (text === '' || /^(#|\|| {4}\S)/.test(line)) open = false
    else if (!open || /^([-*]|\d+\.) /.test(text)) found.push({ line: index + 1, text: text.replace(/^([-*]|\d+\.) /, '') })
    else found[found.length - 1].text += ` ${text}`
    if (text !== '' && !/^(#|\|| {4}\S)/.test(line)) open = true
  }
  return found
}

module.exports = { comments, paragraphs }
