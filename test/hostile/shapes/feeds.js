'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')

/** Connections that are opened at once. */
const AT_ONCE = 100

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'feeds',
  what: 'thousands of live feeds are told of each write, while a thousand clients read long answers slowly or not at all',
  sizes: { short: { feeds: 500, readers: 100, writes: 5 }, long: { feeds: 5000, readers: 1000, writes: 20 } },
  bounds: { stall: 850, peak: 700, left: 250 },

  async prepare (subject) {
    await subject.done('PUT', '/f')
    const docs = Array.from({ length: 2000 }, (_, n) => ({ _id: `d${n}`, text: 'x'.repeat(2000) }))
    await subject.done('POST', '/f/_bulk_docs', { docs })
  },

  async attack (subject, { feeds, readers, writes }) {
    const slow = await open(readers, () => read(subject))
    const live = await open(feeds, n => follow(subject, ['continuous', 'eventsource'][n % 2]))
    try {
      for (let n = 0; n < writes; n++) {
        const told = Promise.all(live.map(socket => toldOf(socket, `"w${n}"`)))
        await subject.done('PUT', `/f/w${n}`, {})
        await told
      }
      // Each of them takes a little, and stands still again.
      for (const socket of slow) socket.resume()
      await subject.done('GET', '/_up')
      for (const socket of slow) socket.pause()
      return { feeds: live.length, 'slow readers': slow.length, 'lines told': writes * live.length }
    } finally {
      for (const socket of [...slow, ...live]) socket.destroy()
      await closed(subject)
    }
  }
}

async function open (count, one) {
  const sockets = []
  while (sockets.length < count) {
    const first = sockets.length
    sockets.push(...await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, n) => one(first + n))))
  }
  return sockets
}

/** Asks for megabytes, and takes the first bytes. */
async function read (subject) {
  const socket = await subject.connect()
  socket.write(subject.head('GET', '/f/_all_docs?include_docs=true'))
  await once(socket, 'data')
  subject.count(200)
  return socket.pause()
}

async function follow (subject, feed) {
  const socket = await subject.connect()
  socket.write(subject.head('GET', `/f/_changes?feed=${feed}&since=now&heartbeat=30000`))
  const [head] = await once(socket, 'data')
  assert.match(String(head), /^HTTP\/1.1 200 /)
  subject.count(200)
  return socket
}

async function toldOf (socket, id) {
  for (let text = ''; !text.includes(id);) text += (await once(socket, 'data'))[0]
}

/** The server has heard of all that have gone. */
async function closed (subject) {
  for (let before = Infinity, now; ; before = now) {
    now = (await subject.call('figures')).descriptors
    if (now >= before) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
