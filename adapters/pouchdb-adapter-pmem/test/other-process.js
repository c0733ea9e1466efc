'use strict'

// Opens databases for the process that forked it: a message `{ verb, name, options, id }` is answered
// by `{ result }` or `{ error }`. As a worker thread it does the same.

const PouchDB = require('pouchdb-core')
const { parentPort } = require('node:worker_threads')

PouchDB.plugin(require('..'))

const port = parentPort ?? process
const send = (answer) => parentPort === null ? process.send(answer) : parentPort.postMessage(answer)
const databases = new Map()

const verbs = {
  async open (name, { id, ...options }) {
    const db = new PouchDB(name, { adapter: 'pmem', ...options })
    await db.put({ _id: id }).catch((error) => { if (error.status !== 409) throw error })
    databases.set(name, db)
    return (await db.allDocs()).rows.map(({ id }) => id)
  },
  close: (name) => databases.get(name).close(),
  destroy: (name) => databases.get(name).destroy()
}

port.on('message', ({ verb, name, options }) => {
  verbs[verb](name, options).then(
    (result) => send({ result }),
    (error) => send({ error: { message: error.message, code: error.code } }))
})
