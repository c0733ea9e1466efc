'use strict'

/**
 * `node --expose-gc long-attachment.js LEVEL FOLDER BYTES` stores an attachment of that length and
 * reads it, and prints JSON: for each how much memory of its own, in MiB, the process had at most
 * above what it had before. Files that are mapped, as a pool is, do not count.
 */

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const { DocumentStore } = require('..')
const { openLevel } = require('./crash/level-on-disk')

const PART = 64 * 1024
const [kind, folder, length] = process.argv.slice(2)

function ownMemory () {
  return Number(/^RssAnon:\s+(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
}

/** Gives bytes that nothing can compress, and looks at the memory with each part. */
async function * content (bytes, look) {
  const seed = randomBytes(PART)
  for (let at = 0; at < bytes; at += PART) {
    const part = Buffer.from(seed)
    part.writeDoubleLE(at)
    look()
    yield part
  }
}

/** Runs it, with a function that looks at the memory. */
async function mostOf (work) {
  global.gc()
  const before = ownMemory()
  let most = before
  const look = () => { most = Math.max(most, ownMemory()) }
  await work(look)
  look()
  return Math.round(most - before)
}

async function main () {
  const level = openLevel(kind, folder)
  await level.open()
  const store = await DocumentStore.open(level)
  const put = (id, bytes, look) => store.put({ _id: id, _attachments: { f: { data: content(bytes, look) } } })
  await put('short', 2 ** 20, () => {})
  const taken = await mostOf((look) => put('long', Number(length), look))
  const given = await mostOf(async (look) => {
    let received = 0
    for await (const part of (await store.getAttachment('long', 'f')).stream()) {
      received += part.length
      look()
    }
    if (received !== Number(length)) throw new Error(`${received} bytes`)
  })
  console.log(JSON.stringify({ taken, given }))
  await store.close()
  await level.close()
}

main()
