'use strict'

const { processCpu } = require('../run/meters')

const DATABASE = 'potoroo-perf'
const DURABLY = { writeConcern: { w: 1, journal: true } }

/**
 * The MongoDB of MONGODB_URL, which runs already. Its CPU time counts where MONGODB_PID says which
 * process it is.
 */
class MongoObjects {
  #client
  #objects
  #files

  static async open () {
    const { MongoClient } = require('mongodb')
    const client = new MongoClient(process.env.MONGODB_URL, { serverSelectionTimeoutMS: 5000 })
    await client.connect()
    await client.db(DATABASE).dropDatabase()
    return new MongoObjects(client)
  }

  constructor (client) {
    this.#client = client
    this.#objects = client.db(DATABASE).collection('objects', DURABLY)
    this.#files = client.db(DATABASE).collection('files', DURABLY)
  }

  async insert (start, objects) {
    await this.#objects.insertMany(objects.map((object, index) => ({ _id: start + index, ...object })))
  }

  async get (number, name) {
    const found = await this.#objects.findOne({ _id: number }, { projection: { [name]: 1 } })
    return found[name]
  }

  async set (number, name, value) {
    await this.#objects.updateOne({ _id: number }, { $set: { [name]: value } })
  }

  async transaction (changes) {
    const operations = []
    for (let i = 0; i < changes.length; i += 3) {
      operations.push({ updateOne: { filter: { _id: changes[i] }, update: { $set: { [changes[i + 1]]: changes[i + 2] } } } })
    }
    await this.#objects.bulkWrite(operations)
  }

  async insertFiles (start, files) {
    await this.#files.insertMany(files.map((bytes, index) => ({ _id: start + index, bytes })))
  }

  async read (number, offset, length) {
    const { bytes } = await this.#files.findOne({ _id: number }, { promoteBuffers: true })
    return bytes.subarray(offset, offset + length)
  }

  async edit (number, offset, bytes) {
    const file = await this.#files.findOne({ _id: number }, { promoteBuffers: true })
    file.bytes.set(bytes, offset)
    await this.#files.updateOne({ _id: number }, { $set: { bytes: file.bytes } })
  }

  /** µs of CPU time that the server took, beside this process. */
  cpu () {
    return process.env.MONGODB_PID ? processCpu(Number(process.env.MONGODB_PID)) : 0
  }

  async close () {
    await this.#client.db(DATABASE).dropDatabase()
    await this.#client.close()
  }
}

module.exports = { MongoObjects }
