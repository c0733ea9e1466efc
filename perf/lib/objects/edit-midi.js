'use strict'

const { Random } = require('../data')
const { fillFiles } = require('./fill')

const EDIT = 64
const EDITS = 256
const FROM = 4096
const SPREAD = 12 * 1024

/**
 * The trial of 64 bytes of the notes of MIDI files of 20 to 40 KB, each edit durable before the next.
 *
 * @param {string} name
 * @param {string} needs
 * @param {(subject: any, number: number, offset: number, bytes: Uint8Array) => Promise<void> | void} edit
 * @returns {import('../catalogue').Trial}
 */
function editMidi (name, needs, edit) {
  return {
    name,
    unit: 'edit',
    needs,
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
        const pending = edit(subject, index % size, offset, bytes)
        if (pending !== undefined) await pending
      }
      const last = start + step - 1
      const { offset, bytes } = edits[last % EDITS]
      if (Buffer.compare(await subject.read(last % size, offset, EDIT), bytes) !== 0) throw new Error('It was not modified')
    }
  }
}

module.exports = { editMidi }
