'use strict'

const { fill } = require('../../lib/objects/fill')
const { bytesOnMedia } = require('../../lib/files')

/** Measures the bytes of small objects, by a thousand in a transaction: a pool's bytes in use, others' files. */
module.exports = {
  name: 'bytes on media',
  unit: 'object',
  needs: 'files',
  size: 100_000,
  figure: 'bytes',
  async prepare (subject, { size, folder }) {
    const before = subject.used?.()
    await fill(subject, size)
    const used = subject.used?.()
    await subject.close()
    return { size, bytes: used === undefined ? bytesOnMedia(folder) : used - before }
  },
  async run ({ size, bytes }) {
    return bytes / size
  }
}
