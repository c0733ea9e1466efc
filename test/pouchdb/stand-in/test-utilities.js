'use strict'

/**
 * The `testUtils` of the tests of PouchDB 4.0.3; their own loads PouchDB 4.0.3.
 *
 * @param {any} PouchDB
 * @param {string} url of the server, with an administrator's name and password
 * @param {string} adapter
 */
function createTestUtilities (PouchDB, url, adapter) {
  return {
    ...environment(url),
    ...content(),
    ...revisions(),
    adapterType: () => adapter === 'http' ? 'http' : 'local',
    adapterUrl: (adapter, name) => adapter === 'http' ? `${url}/${name}` : name,
    cleanup: (names, done) => cleanup(PouchDB, names).then(() => done(), done),
    isCouchDB: (callback) => PouchDB.ajax({ url: `${url}/` }, (error, answer) => callback(!error && 'couchdb' in answer)),
    writeDocs: (db, docs, callback, results = []) => writeInTurn(db, docs, results).then(() => callback(null, results), callback),
    eliminateDuplicates: (list) => [...new Set(list)],
    fin: (promise, cleanUp) => Promise.resolve(promise).finally(cleanUp),
    promisify: (method, self) => (...args) => new Promise((resolve, reject) => {
      method.call(self, ...args, (error, result) => error ? reject(error) : resolve(result))
    })
  }
}

/** The server answers as CouchDB does now. */
function environment (url) {
  return {
    couchHost: () => url,
    params: () => ({ SERVER: 'couchdb-master' }),
    isCouchMaster: () => true,
    isSyncGateway: () => false,
    isExpressRouter: () => false
  }
}

function content () {
  const readBlob = (buffer, callback) => callback(buffer.toString('binary'))
  return {
    makeBlob: (data) => Buffer.from(data, 'binary'),
    binaryStringToBlob: (data, type) => Object.assign(Buffer.from(data, 'binary'), { type }),
    btoa: (data) => Buffer.from(data, 'binary').toString('base64'),
    atob: (data) => Buffer.from(data, 'base64').toString('binary'),
    readBlob,
    readBlobPromise: (buffer) => new Promise((resolve) => readBlob(buffer, resolve)),
    base64Blob: (buffer, callback) => callback(buffer.toString('base64'))
  }
}

async function cleanup (PouchDB, names) {
  await Promise.all([...new Set(names)].map((name) => new PouchDB(name).then((db) => db.destroy())))
}

async function writeInTurn (db, docs, results) {
  while (docs.length > 0) results.push(await db.put(docs.shift()))
}

/** Writing revision trees branch by branch. */
function revisions () {
  return {
    putAfter: (db, doc, previous, callback) => putAfter(db, doc, previous).then((result) => callback(null, result), callback),
    putBranch: (db, docs, callback) => putBranch(db, docs).then(() => callback(), callback),
    putTree: (db, tree, callback) => putTree(db, tree).then(() => callback(), callback)
  }
}

async function putAfter (db, doc, previous) {
  const [generation, digest] = doc._rev.split('-')
  const history = previous ? { _revisions: { start: Number(generation), ids: [digest, previous.split('-')[1]] } } : {}
  return db.put({ ...doc, ...history }, { new_edits: false })
}

async function putBranch (db, docs) {
  let previous = null
  for (const doc of docs) {
    const found = await db.get(doc._id, { rev: doc._rev }).catch(() => null)
    if (!found) await putAfter(db, doc, previous)
    previous = doc._rev
  }
}

async function putTree (db, branches) {
  for (const branch of branches) await putBranch(db, branch)
}

module.exports = { createTestUtilities }
