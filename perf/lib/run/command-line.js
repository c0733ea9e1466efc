'use strict'

const { parseArgs } = require('node:util')

/**
 * As `parseArgs` of Node.js, for a program: an option that it does not have ends it with a sentence, and so does text for an
 * option whose default is numbers.
 *
 * @type {typeof parseArgs}
 */
const readOptions = config => {
  const parsed = attempt(() => parseArgs(config))
  for (const [name, { default: standard }] of Object.entries(config?.options ?? {})) {
    if (!/^\d[\d.,]*$/.test(String(standard))) continue
    for (const text of String(/** @type {any} */ (parsed.values)[name]).split(',').filter(Boolean)) readNumber(text, `--${name}`)
  }
  return parsed
}

/** @param {string} text @param {string} option as it is written */
function readNumber (text, option) {
  const number = Number(text)
  return Number.isFinite(number) && number >= 0 && text !== '' ? number : refuse(`${option} takes a number, not ${JSON.stringify(text)}`)
}

/**
 * Returns what has been chosen; a choice of nothing ends the program with a sentence that says what there is.
 *
 * @template T
 * @param {readonly T[]} all
 * @param {string} only a part of names, or a pattern
 * @param {{ option?: string, nameOf?: (each: T) => string, isPattern?: boolean }} [options]
 * @returns {T[]}
 */
function choose (all, only, { option = '--only', nameOf = each => /** @type {any} */ (each).name, isPattern = true } = {}) {
  const pattern = isPattern ? readPattern(only, option) : { test: (/** @type {string} */ name) => name.includes(only) }
  const chosen = all.filter(each => pattern.test(nameOf(each)))
  return chosen.length > 0 ? chosen : refuse(`Nothing is named ${only} (${option}). There are: ${[...new Set(all.map(nameOf))].join('; ')}`)
}

/** @param {string} text @param {string} option as it is written */
function readPattern (text, option) { return attempt(() => new RegExp(text), option) }

/** @template T @param {() => T} read @param {string} [option] @returns {T} */
function attempt (read, option) {
  try {
    return read()
  } catch (error) {
    return refuse(option === undefined ? error.message : `${option}: ${error.message}`)
  }
}

/** Ends the program. @param {string} sentence @returns {never} */
function refuse (sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

module.exports = { choose, readNumber, readOptions, readPattern, refuse }
