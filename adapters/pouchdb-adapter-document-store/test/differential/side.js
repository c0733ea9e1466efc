'use strict'

const PouchDB = require('pouchdb-core')

require('../plugins')
const { describeError } = require('./normalise')

PouchDB.plugin(require('pouchdb-adapter-memory'))

/**
 * One of two PouchDBs that are asked the same.
 *
 * @typedef {object} Side
 * @property {any} PouchDB
 * @property {any} db an instance on a database of its own
 * @property {string} name of that database
 * @property {() => string} newName
 * @property {(options: Record<string, any>, name?: string) => any} open another instance, on a
 *   database of its own where no name is given
 * @property {(call: () => any) => Promise<any>} ask the answer, or what is wrong
 * @property {(call: (done: Function) => any) => Promise<any>} callback the same of a callback
 * @property {(id: string, ...branches: string[]) => Promise<void>} tree writes a document's
 *   revisions: `'1-a 2-b!'` is a branch, of which the last is a deletion
 * @property {(feed: any, last: (change: any) => boolean) => Promise<any[]>} seen the changes of a
 *   feed up to one
 * @property {() => Promise<void>} end destroys all databases
 */

let count = 0

/** @returns {Side} */
function createSide (adapter) {
  const names = new Set()
  const newName = () => `differential-${adapter}-${++count}-`
  const open = (options, name = newName()) => {
    names.add(name)
    return new PouchDB(name, { adapter, ...options })
  }
  const name = newName()
  const db = open({}, name)
  return {
    PouchDB,
    db,
    name,
    newName,
    open,
    ask,
    callback,
    seen,
    tree: (id, ...branches) => writeTree(db, branches.flatMap((branch) => revisionsOf(id, branch))),
    async end () {
      for (const name of names) await new PouchDB(name, { adapter }).destroy()
    }
  }
}

async function ask (call) {
  try {
    return await call()
  } catch (error) {
    return { refused: describeError(error) }
  }
}

function callback (call) {
  return new Promise((resolve) => call((error, ...results) => resolve(error ? { refused: describeError(error) } : results)))
}

function seen (feed, last) {
  const changes = []
  return new Promise((resolve, reject) => {
    feed.on('error', reject)
    feed.on('change', (change) => {
      changes.push(change)
      if (last(change)) resolve(changes)
    })
  })
}

/** One at a time, once each: then each has a sequence of its own everywhere. */
async function writeTree (db, docs) {
  const written = new Set()
  for (const doc of docs) {
    if (!written.has(doc._rev)) await db.bulkDocs([doc], { new_edits: false })
    written.add(doc._rev)
  }
}

function revisionsOf (id, branch) {
  const revs = branch.split(' ').map((rev) => ({ rev: rev.replace('!', ''), deleted: rev.endsWith('!') }))
  return revs.map(({ rev, deleted }, i) => {
    const ids = revs.slice(0, i + 1).map(({ rev }) => rev.slice(rev.indexOf('-') + 1)).reverse()
    return { _id: id, _rev: rev, _revisions: { start: parseInt(rev), ids }, ...(deleted ? { _deleted: true } : { from: rev }) }
  })
}

module.exports = { createSide }
