'use strict'

/** The beginning of the JSON of a program whose sources are CoffeeScript. */
const BEGINNING = '{"language":"coffeescript"'

/** @param {string} load JSON of a program */
function isCoffee (load) { return load.startsWith(BEGINNING) }

/**
 * Compiles the sources of a program to JavaScript. The compiler runs in the thread, under its limit of time, and
 * executes nothing; within QuickJS it would need a second to load.
 *
 * @param {string} load JSON of a program
 * @returns {{ load: string } | { load: undefined, failure: string }} failure: as the prelude tells one
 */
function translate (load) {
  const program = JSON.parse(load)
  try {
    return { load: JSON.stringify({ ...program, sources: program.sources.map(compile) }) }
  } catch (error) {
    const failure = { error: 'compilation_error', reason: `${error?.name}: ${error?.message}` }
    return { load: undefined, failure: `\n-${JSON.stringify(failure)}` }
  }
}

/** @param {string} source @returns {string} */
function compile (source) {
  if (source === '') return source
  // Only design documents in this language pay for the compiler.
  return require('coffeescript').compile(source, { bare: true, header: false })
}

module.exports = { isCoffee, translate }
