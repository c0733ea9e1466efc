'use strict'

/** The change of a feed that meets a fault. */
const WHICH = 6

/**
 * Tampers with one feed of each kind.
 *
 * @param {(row: any, before: any) => any[]} tamper what takes the place of a row that follows another one
 */
function withRows (tamper) {
  /** name → rows of that kind of feed until now */
  const counts = { continuous: 0, longpoll: 0 }
  let before
  const rows = (kind, row) => {
    const changed = ++counts[kind] === WHICH && before !== undefined ? tamper(row, before) : [row]
    before = row
    return changed
  }
  const isOurs = url => url.pathname === '/registers-0/_changes' && url.searchParams.get('style') === 'all_docs'
  return {
    change ({ url }, body) {
      if (!isOurs(url) || url.searchParams.get('feed') !== 'longpoll' || body.results === undefined) return body
      return { ...body, results: body.results.flatMap(row => rows('longpoll', row)) }
    },
    changeLine ({ url }, line) {
      const row = JSON.parse(line)
      return isOurs(url) && row.id !== undefined ? rows('continuous', row).map(changed => JSON.stringify(changed)) : [line]
    }
  }
}

/** Tampers with a document that is written once, so that no later change hides the fault. */
function onceOnly (tamper) {
  let done = false
  return withEach(row => {
    if (done || !row.id.startsWith('insert-')) return [row]
    done = true
    return tamper(row)
  })
}

function withEach (rows) {
  const isOurs = url => /^\/registers-\d\/_changes$/.test(url.pathname)
  return {
    change ({ url }, body) {
      if (!isOurs(url) || url.searchParams.get('feed') !== 'longpoll' || body.results === undefined) return body
      return { ...body, results: body.results.flatMap(rows) }
    },
    changeLine ({ url }, line) {
      const row = JSON.parse(line)
      return isOurs(url) && row.id !== undefined ? rows(row).map(changed => JSON.stringify(changed)) : [line]
    }
  }
}

/** @type {import('./tampering-balancer').Planted[]} */
const planted = [
  { name: 'a change is told twice', finds: 'order', make: () => withRows(row => [row, row]) },
  { name: 'a change is told late', finds: 'order', make: () => withRows((row, before) => [row, before]) },
  { name: 'a sequence is given twice', finds: 'sequences', make: () => withRows((row, before) => [{ ...row, seq: before.seq }]) },
  { name: 'a change is skipped', finds: 'whole', make: () => onceOnly(() => []) },
  { name: 'a change is told that was not made', finds: 'whole', make: () => onceOnly(row => [row, { ...row, id: `${row.id}-no`, seq: row.seq }]) },
  {
    name: 'a later write has an earlier sequence',
    finds: 'realTime',
    make: () => ({
      change ({ url }, body) {
        if (url.pathname !== '/registers-0/_changes' || url.searchParams.get('include_docs') !== 'true' || url.searchParams.has('feed')) return body
        const inserts = body.results.filter(({ id }) => id.startsWith('insert-'))
        if (inserts.length < 2) return body
        const last = inserts.at(-1)
        ;[inserts[0].seq, last.seq] = [last.seq, inserts[0].seq]
        return body
      }
    })
  }
]

module.exports = { planted }
