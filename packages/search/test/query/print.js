'use strict'

/** @type {Record<string, string>} */
const signs = { must: '+', must_not: '-', should: '' }

/** @type {Record<string, (node: any) => string>} */
const printers = {
  all: () => '*',
  boolean: ({ clauses }) => `[${clauses.map(({ occur, node }) => signs[occur] + print(node)).join(' ')}]`,
  fuzzy: ({ field, term, edits }) => `F(${field}:${term}~${edits})`,
  intervals: ({ field, source }) => `I(${field}:${JSON.stringify(source)})`,
  none: () => 'N',
  phrase: ({ field, terms, slop }) => `P(${field}:${terms.map(({ term, position }) => `${position}=${term},`).join('')}~${slop})`,
  prefix: ({ field, prefix }) => `X(${field}:${prefix})`,
  range: ({ field, low, high, includeLow, includeHigh }) => `G(${field}:${includeLow ? '[' : '{'}${low ?? '*'} TO ${high ?? '*'}${includeHigh ? ']' : '}'})`,
  regexp: ({ field, pattern }) => `R(${field}:${pattern})`,
  term: ({ field, term }) => `T(${field}:${term})`,
  wildcard: ({ field, pattern }) => `W(${field}:${pattern})`
}

/** A query in one line. @param {import('../..').QueryNode} node */
function print (node) { return printers[node.type](node) + (node.boost === undefined ? '' : `^${node.boost}`) }

module.exports = { print }
