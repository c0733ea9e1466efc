'use strict'

const { describeIndex } = require('../mango/index-descriptor')

/**
 * A learned index as the planner sees it, and as `GET /{db}/_index` lists it: with `adaptive`, which says
 * why it is there.
 *
 * @param {import('./learned-index').LearnedIndex} learned
 * @param {number} now
 */
function descriptorOf (learned, now) {
  return describeIndex({
    ddoc: null,
    name: nameOf(learned.fields),
    fields: learned.fields.map(field => [field, 'asc']),
    extra: { adaptive: describeLearned(learned, now) },
    // Who reads it brings it up to date.
    open: () => ({ rows: learned.rows, view: 0, update: async () => {} })
  })
}

/** @param {import('./learned-index').LearnedIndex} learned @param {number} now */
function describeLearned (learned, now) {
  const { since, asked, scans, examined, returned, lastAsked } = learned.lesson
  return {
    state: learned.stateAt(now),
    reason: `${scans} queries without it examined ${examined} documents and returned ${returned}`,
    asked,
    since: timeOf(since),
    last_asked: timeOf(lastAsked),
    updates_pending: Number.isFinite(learned.behind) ? learned.behind : null,
    ...(learned.error !== null && { error: learned.error.message })
  }
}

/**
 * What was asked and has no index yet.
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

/** No design document has such a name. */
function nameOf (fields) { return `adaptive/${fields.map(encodeURIComponent).join(',')}` }

function timeOf (milliseconds) { return new Date(milliseconds).toISOString() }

module.exports = { describeLearned, describeNote, descriptorOf, nameOf }
