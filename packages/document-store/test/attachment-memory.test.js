'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')

const LENGTH = 256 * 2 ** 20
/** MiB, however long the attachment. */
const LIMIT = 64

for (const kind of ['classic-level', 'pmem-level']) {
  describe(`an attachment of 256 MiB on ${kind}`, function () {
    this.timeout(600_000)

    it(`goes in and out with less than ${LIMIT} MiB of memory`, async function () {
      if (!fs.existsSync('/proc/self/status')) this.skip()
      const parent = kind === 'pmem-level' && fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
      const folder = fs.mkdtempSync(path.join(parent, 'document-store-memory-'))
      try {
        const script = path.join(__dirname, 'long-attachment.js')
        const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, kind, folder, String(LENGTH)])
        const { taken, given } = JSON.parse(stdout)
        assert.ok(taken < LIMIT && given < LIMIT, stdout)
      } finally {
        fs.rmSync(folder, { recursive: true, force: true })
      }
    })
  })
}
