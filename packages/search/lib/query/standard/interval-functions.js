'use strict'

/**
 * The functions of intervals: `fn:maxgaps(3 fn:ordered(a b))`.
 *
 * @typedef {'number' | 'source' | 'sources'} Argument sources: one or more
 * @typedef {{ fn: 'text', text: string } | { fn: 'wildcard' | 'fuzzyTerm', text: string, numbers: number[] }
 *   | { fn: string, numbers: number[], sources: IntervalSyntax[] }} IntervalSyntax a function as it is written; the texts have their escapes
 * @see https://lucene.apache.org/core/10_4_0/queryparser/org/apache/lucene/queryparser/flexible/standard/parser/package-summary.html
 */

/** Arguments, in the order in which they stand between the parentheses. @type {Record<string, Argument[]>} */
const ARGUMENTS = {
  after: ['source', 'source'],
  atLeast: ['number', 'sources'],
  before: ['source', 'source'],
  containedBy: ['source', 'source'],
  containing: ['source', 'source'],
  extend: ['source', 'number', 'number'],
  maxgaps: ['number', 'source'],
  maxwidth: ['number', 'source'],
  nonOverlapping: ['source', 'source'],
  notContainedBy: ['source', 'source'],
  notContaining: ['source', 'source'],
  notWithin: ['source', 'number', 'source'],
  or: ['sources'],
  ordered: ['sources'],
  overlapping: ['source', 'source'],
  phrase: ['sources'],
  unordered: ['sources'],
  unorderedNoOverlaps: ['source', 'source'],
  within: ['source', 'number', 'source']
}

/** Functions of one text, and how many numbers may stand behind it. @type {Record<string, number>} */
const NUMBERS = { fuzzyTerm: 2, wildcard: 1 }

/** Each has one way to be written besides its own. */
const OTHERS = { atleast: 'atLeast', containedby: 'containedBy', fuzzyterm: 'fuzzyTerm', maxGaps: 'maxgaps', maxWidth: 'maxwidth', nonoverlapping: 'nonOverlapping', notcontainedby: 'notContainedBy', notcontaining: 'notContaining', notwithin: 'notWithin', unorderednooverlaps: 'unorderedNoOverlaps' }

/** All ways to write them. @type {Map<string, string>} */
const NAMES = new Map([...[...Object.keys(ARGUMENTS), ...Object.keys(NUMBERS)].map(name => /** @type {[string, string]} */ ([name, name])), ...Object.entries(OTHERS)])

/** The longest name there. */
const FUNCTION = new RegExp([...NAMES.keys()].sort((a, b) => b.length - a.length).join('|'), 'y')

module.exports = { ARGUMENTS, FUNCTION, NAMES, NUMBERS }
