'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { potoroo } = require('..')
const { firstAdmin } = require('../lib/commands/first-admin')

describe('administrators as an option', () => {
  it('are a map of names and passwords', () => {
    for (const admins of ['anna:secret', ['anna'], { anna: '' }, { anna: 5 }, { '': 'x' }, { anna: undefined }, 7]) {
      assert.throws(() => potoroo({ storage: 'memory', admins: /** @type {any} */ (admins) }), { name: 'TypeError', message: /^admins/ })
    }
  })
})

describe('the first administrator', () => {
  let folder, file

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-admin-'))
    file = path.join(folder, 'admin')
  })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  const write = (text, mode = 0o600) => {
    fs.writeFileSync(file, text)
    fs.chmodSync(file, mode)
  }

  it('is that of the command line, of a file, or of the environment, which is forgotten', () => {
    const environment = { POTOROO_ADMIN: 'anna:a:b' }
    write('bert:secret\n')
    assert.deepEqual(firstAdmin({ admin: 'carl:x' }, { ...environment }), { carl: 'x' })
    assert.deepEqual(firstAdmin({ adminFile: file }, { ...environment }), { bert: 'secret' })
    assert.deepEqual(firstAdmin({}, environment), { anna: 'a:b' })
    assert.deepEqual(environment, {})
    assert.equal(firstAdmin({}, environment), undefined)
  })

  it('is not of a file that others may read, and no error has the password', function () {
    write('bert:secret')
    for (const mode of [0o644, 0o604]) {
      fs.chmodSync(file, mode)
      if (process.platform !== 'win32') assert.throws(() => firstAdmin({ adminFile: file }, {}), /all users have access/)
    }
    for (const text of ['bert', ':secret', 'bert:', 'bert:secret\nmore', '']) {
      write(text)
      assert.throws(() => firstAdmin({ adminFile: file }, {}), ({ message }) => message.includes('must be name:password') && !message.includes('secret'))
    }
    assert.throws(() => firstAdmin({ admin: 'secret' }, {}), { message: '--admin must be name:password, on one line' })
    assert.throws(() => firstAdmin({}, { POTOROO_ADMIN: 'secret' }), { message: 'POTOROO_ADMIN must be name:password, on one line' })
    assert.throws(() => firstAdmin({ adminFile: path.join(folder, 'none') }, {}), { message: `--admin-file ${path.join(folder, 'none')} cannot be read: there is no such file or folder` })
  })
})
