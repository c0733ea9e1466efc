'use strict'

const { describeIndex } = require('../mango/indexes/index-descriptor')

/**
 * An index of some fields as the planner sees it.
 *
 * @param {string[]} fields
 * @param {() => any} [open]
 */
function plannedIndex (fields, open = () => { throw new TypeError('There is no such index') }) {
  return describeIndex({ ddoc: null, name: nameOf(fields), fields: fields.map(field => [field, 'asc']), open })
}

/**
 * A learned index as the planner sees it, and as `GET /{db}/_index` lists it: with `adaptive`, which says
 * why it is there.
 *
 * @param {import('./learned-index').LearnedIndex} learned
 * @param {() => number} now
 * @returns {import('../mango/indexes/index-descriptor').IndexDescriptor}
 */
function descriptorOf (learned, now) {
  // Its readers bring it up to date.
  const index = plannedIndex(learned.fields, () => ({ rows: learned.rows, view: 0, update: async () => {} }))
  return { ...index, get extra () { return { adaptive: describeLearned(learned, now()) } } }
}

/** @param {import('./learned-index').LearnedIndex} learned @param {number} now */
function describeLearned (learned, now) {
  const { since, asked, scans, examined, returned, lastAsked } = learned.lesson
  return {
    state: learned.stateAt(now),
    reason: `${scans} queries without it examined ${examined} documents and returned ${returned}`,
    asked,
    size: learned.size,
    since: timeOf(since),
    last_asked: timeOf(lastAsked),
    updates_pending: Number.isFinite(learned.behind) ? learned.behind : null,
    ...(learned.error !== null && { error: learned.error.message })
  }
}

/**
 * Describes a shape that was asked and has no index yet.
 *
 * @param {import('./shape-notes').Note} note
 */
function describeNote ({ fields, asked, examined, needed, returned, lastAsked }) {
  return {
    fields,
    state: 'learning',
    asked,
    docs_examined: examined,
    keys_needed: needed,
    results_returned: returned,
    last_asked: asked === 0 ? null : timeOf(lastAsked)
  }
}

/** No design document has such a name. @param {string[]} fields */
function nameOf (fields) { return `adaptive/${fields.map(encodeURIComponent).join(',')}` }

/** @param {number} milliseconds */
function timeOf (milliseconds) { return new Date(milliseconds).toISOString() }

module.exports = { describeLearned, describeNote, descriptorOf, nameOf, plannedIndex }
