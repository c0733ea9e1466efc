'use strict'

/** All rows of something that is read in pages. */
async function collect (pages) {
  const rows = []
  for await (const page of pages) rows.push(...page)
  return rows
}

/** The code of the error that a promise rejects with, or that a result is. */
async function codeOf (promise) {
  try {
    const result = await promise
    return result instanceof Error ? result.code : `no error: ${JSON.stringify(result)}`
  } catch (error) {
    return error.code
  }
}

/** Documents by number. */
function numbered (count, extra = {}) {
  return Array.from({ length: count }, (_, i) => ({ _id: `doc${String(i).padStart(4, '0')}`, number: i, ...extra }))
}

/** Replicated revisions: `tree('a', '1-x 2-y', '1-x 2-z')` is a document with two branches. */
function branches (id, ...paths) {
  return paths.map((path) => {
    const revs = path.split(' ')
    const deleted = revs[revs.length - 1].endsWith('!')
    const plain = revs.map((rev) => rev.replace('!', '')).reverse()
    const doc = {
      _id: id,
      _rev: plain[0],
      _revisions: { start: Number(plain[0].split('-')[0]), ids: plain.map((rev) => rev.slice(rev.indexOf('-') + 1)) },
      from: plain[0]
    }
    return deleted ? { ...doc, _deleted: true } : doc
  })
}

/** Counts the rounds of the event loop while something goes on. */
async function countRounds (work) {
  let rounds = 0
  let next = setImmediate(function count () {
    rounds++
    next = setImmediate(count)
  })
  try {
    await work(() => rounds)
  } finally {
    clearImmediate(next)
  }
  return rounds
}

module.exports = { collect, countRounds, codeOf, numbered, branches }
