'use strict'

const assert = require('node:assert/strict')
const { MemoryRelease } = require('../lib/service/memory-release')

const MEBIBYTE = 2 ** 20

describe('memory that was freed', () => {
  function make () {
    const process = { size: 100 * MEBIBYTE, released: 0, slow: false }
    const release = new MemoryRelease({
      sizeOf: () => process.size,
      release () {
        process.released++
        process.size = 110 * MEBIBYTE
        const end = performance.now() + (process.slow ? 5 : 0)
        while (performance.now() < end);
        return true
      }
    })
    release.stop()
    return { process, release }
  }

  it('is given back where the process has grown by much', () => {
    const { process, release } = make()
    process.size = 150 * MEBIBYTE
    assert.equal(release.look(), false)
    process.size = 170 * MEBIBYTE
    assert.equal(release.look(), true)
    assert.equal(process.released, 1)
    assert.equal(release.look(), false)
  })

  it('is not given back again soon where that takes long', () => {
    const { process, release } = make()
    process.slow = true
    process.size = 200 * MEBIBYTE
    assert.equal(release.look(), true)
    process.size = 200 * MEBIBYTE
    assert.equal(release.look(), false)
    assert.equal(process.released, 1)
  })
})
