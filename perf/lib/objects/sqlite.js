'use strict'

const path = require('node:path')

/**
 * SQLite with objects in its binary JSON, which it reads and changes a property of faster than
 * JavaScript parses text; files are blobs, of which SQL takes and replaces a part.
 */
class SqliteObjects {
  #db
  #statements
  #changeAll
  #insertAll

  constructor (folder) {
    const Database = require('better-sqlite3')
    this.#db = new Database(path.join(folder, 'sqlite'))
    this.#db.pragma('journal_mode = WAL')
    this.#db.pragma('synchronous = FULL')
    this.#db.exec('CREATE TABLE IF NOT EXISTS objects (number INTEGER PRIMARY KEY, value BLOB)')
    this.#db.exec('CREATE TABLE IF NOT EXISTS files (number INTEGER PRIMARY KEY, bytes BLOB)')
    this.#statements = this.#prepare()
    this.#changeAll = this.#db.transaction((changes) => {
      for (let i = 0; i < changes.length; i += 3) this.set(changes[i], changes[i + 1], changes[i + 2])
    })
    this.#insertAll = this.#db.transaction((insert, start, values) => values.forEach((value, index) => insert.run(start + index, value)))
  }

  #prepare () {
    const prepare = (sql) => this.#db.prepare(sql)
    return {
      insert: prepare('INSERT INTO objects VALUES (?, jsonb(?))'),
      get: prepare('SELECT json_extract(value, ?) FROM objects WHERE number = ?').pluck(),
      set: prepare('UPDATE objects SET value = jsonb_set(value, ?, ?) WHERE number = ?'),
      insertFile: prepare('INSERT INTO files VALUES (?, ?)'),
      read: prepare('SELECT substr(bytes, ?, ?) FROM files WHERE number = ?').pluck(),
      edit: prepare('UPDATE files SET bytes = CAST(substr(bytes, 1, ?) || ? || substr(bytes, ?) AS BLOB) WHERE number = ?')
    }
  }

  insert (start, objects) {
    this.#insertAll(this.#statements.insert, start, objects.map((object) => JSON.stringify(object)))
  }

  get (number, name) {
    return this.#statements.get.get(`$.${name}`, number)
  }

  set (number, name, value) {
    this.#statements.set.run(`$.${name}`, value, number)
  }

  transaction (changes) {
    this.#changeAll(changes)
  }

  insertFiles (start, files) {
    this.#insertAll(this.#statements.insertFile, start, files)
  }

  read (number, offset, length) {
    return this.#statements.read.get(offset + 1, length, number)
  }

  edit (number, offset, bytes) {
    this.#statements.edit.run(offset, bytes, offset + bytes.length + 1, number)
  }

  close () {
    this.#db.close()
  }
}

/** @returns {string | undefined} what has to be done before it can run here */
function sqliteMissing () {
  try {
    require('better-sqlite3')(':memory:').close()
  } catch {
    return '`npm rebuild better-sqlite3` makes its binary'
  }
}

module.exports = { SqliteObjects, sqliteMissing }
