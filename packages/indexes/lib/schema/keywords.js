'use strict'

const { invalid } = require('./invalid')

/**
 * @typedef {import('./check').Check} Check
 * @typedef {import('./check').Seen} Seen
 * @typedef {(value: any, check: Check, seen: Seen | null) => boolean} Validator whether a value fits
 * @typedef {{ compile: (schema: any) => Validator, refer: (reference: string, isDynamic: boolean) => Validator, place: string, schema: any }} Context
 *   compile: of a schema in this one; refer: to a schema that is named; schema: which has the keyword
 * @typedef {(argument: any, context: Context) => Validator} Keyword
 */

/** Keywords that are arguments of others, or say nothing of whether a value fits. */
const SILENT = new Set([
  '$id', '$schema', '$anchor', '$dynamicAnchor', '$defs', 'definitions', '$comment', '$vocabulary', 'then', 'else', 'minContains', 'maxContains',
  'unevaluatedProperties', 'unevaluatedItems'
])

/** In the order in which they are asked: what is cheap comes first. @type {Record<string, Keyword>} */
const keywords = {
  ...require('./values').keywords,
  ...require('./objects').keywords,
  ...require('./arrays').keywords,
  ...require('./combinations').keywords
}

/**
 * Compiles the keywords of a schema that have something against values. Others are annotations.
 *
 * @param {any} schema
 * @param {Omit<Context, 'schema'>} context
 * @returns {Validator[]}
 */
function compileKeywords (schema, { compile, refer, place }) {
  if (schema.$schema !== undefined && !/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(schema.$schema)) throw invalid(`${place}/$schema`, 'must be JSON Schema 2020-12')
  const present = Object.keys(keywords).filter(name => Object.hasOwn(schema, name) && !SILENT.has(name))
  return present.map(name => keywords[name](schema[name], { compile, refer, place: `${place}/${name}`, schema }))
}

module.exports = { compileKeywords }
