'use strict'

const net = require('node:net')
const { BSON } = require('mongodb')

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const HEADER = 16
const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  maxBsonObjectSize: 16 * 2 ** 20,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25
}

/**
 * As much of a MongoDB, in memory, as the trials ask of one: so that what is said to it is tested
 * where there is none. It keeps documents by `_id`, and answers `find`, `insert` and `update` with `$set`.
 */
class MongodbServer {
  #server = net.createServer((socket) => this.#serve(socket))
  #sockets = new Set()
  #collections = new Map()

  /** @returns {Promise<string>} its URL */
  async listen () {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `mongodb://127.0.0.1:${this.#server.address().port}/?directConnection=true`
  }

  async close () {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve (socket) {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    let waiting = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= HEADER && waiting.length >= waiting.readInt32LE(0)) {
        const size = waiting.readInt32LE(0)
        socket.write(this.#answer(waiting.subarray(0, size)))
        waiting = waiting.subarray(size)
      }
    })
  }

  #answer (message) {
    const [id, code] = [message.readInt32LE(4), message.readInt32LE(12)]
    if (code === OP_QUERY) return frame(id, OP_REPLY, Buffer.from([...new Array(16).fill(0), 1, 0, 0, 0]), { ...HELLO, ok: 1 })
    return frame(id, OP_MSG, Buffer.alloc(5), { ...this.#run(commandOf(message)), ok: 1 })
  }

  #run (command) {
    const [name] = Object.keys(command)
    const documents = this.#documents(command[name])
    if (name === 'hello') return HELLO
    if (name === 'dropDatabase') return this.#collections.clear()
    if (name === 'find') return { cursor: { id: 0n, ns: 'x.y', firstBatch: [documents.get(command.filter._id)].filter(Boolean) } }
    if (name === 'insert') return this.#insert(documents, command.documents)
    if (name === 'update') return this.#update(documents, command.updates)
    return {}
  }

  #documents (name) {
    if (!this.#collections.has(name)) this.#collections.set(name, new Map())
    return this.#collections.get(name)
  }

  #insert (documents, added) {
    for (const document of added) documents.set(document._id, document)
    return { n: added.length }
  }

  #update (documents, updates) {
    for (const { q, u } of updates) Object.assign(documents.get(q._id), u.$set)
    return { n: updates.length, nModified: updates.length }
  }
}

/** A command's document, with the lists that come after it. */
function commandOf (message) {
  let command = {}
  const lists = {}
  for (let at = HEADER + 4; at < message.length;) {
    const size = message.readInt32LE(at + 1)
    const section = message.subarray(at + 1, at + 1 + size)
    if (message[at] === 0) command = BSON.deserialize(section)
    else readList(section, lists)
    at += 1 + size
  }
  return { ...command, ...lists }
}

function readList (section, lists) {
  const end = section.indexOf(0, 4)
  const list = lists[section.toString('latin1', 4, end)] = []
  for (let at = end + 1; at < section.length; at += section.readInt32LE(at)) {
    list.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))))
  }
}

function frame (to, code, between, document) {
  const body = BSON.serialize(document)
  const header = Buffer.alloc(HEADER)
  const size = HEADER + between.length + body.length
  for (const [index, word] of [size, to, to, code].entries()) header.writeInt32LE(word, index * 4)
  return Buffer.concat([header, between, body])
}

module.exports = { MongodbServer }
