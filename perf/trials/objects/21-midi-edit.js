'use strict'

const { Random } = require('../../lib/data')
const { fillFiles } = require('../../lib/objects/fill')

const EDIT = 64
const EDITS = 256
const FROM = 4096
const SPREAD = 12 * 1024

/** 64 bytes of the notes of MIDI files of 20 to 40 KB, each edit durable before the next, as in the paper. */
module.exports = {
  name: 'modify 64 bytes of a MIDI file',
  unit: 'edit',
  needs: 'midi',
  size: 2000,
  step: 20,
  durable: true,
  goal: { times: 5 },
  async prepare (subject, { size }) {
    await fillFiles(subject, size)
    const random = new Random(5)
    const edits = Array.from({ length: EDITS }, () => ({
      bytes: Uint8Array.from({ length: EDIT }, () => random.next() & 127),
      offset: FROM + random.next() % SPREAD
    }))
    return { subject, size, edits }
  },
  async run ({ subject, size, edits }, start, step) {
    for (let index = start; index < start + step; index++) {
      const { offset, bytes } = edits[index % EDITS]
      const pending = subject.edit(index % size, offset, bytes)
      if (pending !== undefined) await pending
    }
    const last = start + step - 1
    const { offset, bytes } = edits[last % EDITS]
    if (Buffer.compare(await subject.read(last % size, offset, EDIT), bytes) !== 0) throw new Error('It was not modified')
  }
}
