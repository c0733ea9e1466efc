'use strict'

const PouchDB = require('pouchdb-core')
const binary = require('pouchdb-binary-utils')
const errors = require('pouchdb-errors')
const { parseUri, uuid } = require('pouchdb-utils')

/** 4.0.3 put the databases of its tests here, and some of them look here. */
const PREFIX = './tmp/_pouch_'

/**
 * PouchDB 9 with what the tests of 4.0.3 use of that release besides the database itself: a
 * constructor with a callback whose result is a promise too, `put` with the id as an argument, its
 * error table, and a few utilities.
 *
 * @param {Array<(PouchDB: any) => void>} plugins the local adapter's first: it becomes the default one
 * @returns {any} the constructor
 */
function createPouchDB (plugins) {
  for (const plugin of plugins) PouchDB.plugin(plugin)
  return inheritStatics(OldConstructor, PouchDB)
}

function OldConstructor (name, options, callback) {
  if (!(this instanceof OldConstructor)) return new OldConstructor(name, options, callback)
  construct(this, PouchDB, name, options, callback)
}

/** `defaults` of 4.0.3 made the same kind of constructor. */
function oldDefaults (defaults) {
  function Constructor (name, options, callback) {
    if (!(this instanceof Constructor)) return new Constructor(name, options, callback)
    construct(this, Parent, name, options, callback)
  }
  const Parent = PouchDB.defaults(defaults)
  return inheritStatics(Constructor, Parent)
}

function construct (self, Parent, name, options, callback) {
  if (typeof options === 'function') return construct(self, Parent, name, {}, options)
  Parent.call(self, name, typeof name === 'string' ? toOptions(Parent, options) : toOptions(Parent, name))
  const opened = new Promise((resolve, reject) => {
    self.taskqueue.addTask((error) => {
      // A promise that resolves to a thenable would wait for it for ever.
      delete self.then
      if (error) reject(error)
      else resolve(self)
    })
  })
  if (self.taskqueue.isReady) self.taskqueue.execute()
  self.then = opened.then.bind(opened)
  addSugar(self)
  opened.then((db) => callback?.(null, db), (error) => callback?.(error))
}

/** `put(doc, id, rev)`, until PouchDB 6. */
function addSugar (db) {
  const put = db.put
  db.put = (doc, ...rest) => {
    if (typeof rest[0] === 'string') doc = { ...doc, _id: rest.shift() }
    if (typeof rest[0] === 'string') doc._rev = rest.shift()
    return put(doc, ...rest)
  }
}

/** The option `db` put LevelDB's adapter on memdown, a level in memory; no other is asked for. */
function toOptions (Parent, options) {
  const inMemory = (options?.db ?? Parent.__defaults?.db) !== undefined
  return { prefix: PREFIX, ...options, ...(inMemory && { adapter: 'memory-level' }) }
}

function inheritStatics (Constructor, Parent) {
  Constructor.prototype = Object.create(Parent.prototype, { constructor: { value: Constructor } })
  for (const key of Object.keys(Parent)) Constructor[key] = Parent[key]
  return Object.assign(Constructor, {
    defaults: oldDefaults,
    Errors: errors,
    ajax,
    utils: {
      Promise,
      ajax,
      atob: binary.atob,
      btoa: binary.btoa,
      binaryStringToBlobOrBuffer: binary.binaryStringToBlobOrBuffer,
      extend: Object.assign,
      parseUri,
      // 4.0.3's takes a length and a radix; the tests want 32 hexadecimal digits of it.
      uuid: () => uuid().replaceAll('-', '')
    }
  })
}

/** A request with a JSON answer, as the tests themselves make it to the server; `binary`: of a page's own content. */
function ajax ({ url, method = 'GET', body, binary = false }, callback) {
  const { username, password, href } = new URL(url)
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  if (username) headers.authorization = `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`
  const address = href.replace(/\/\/[^/@]*@/, '//')
  fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
    .then((response) => binary ? response.blob() : response.json())
    .then((answer) => callback(null, answer), callback)
}

module.exports = { createPouchDB }
