'use strict'

const assert = require('node:assert')
const { command } = require('./command')
const { version } = require('../package.json')

describe('the command pmemobj', () => {
  it('says what it can do', async () => {
    const { code, stdout } = await command(['--help'])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^Usage: pmemobj /)
  })

  it('says its version', async () => {
    assert.deepStrictEqual(await command(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('refuses what it does not know', async () => {
    const { code, stderr } = await command(['--unknown'])
    assert.strictEqual(code, 2)
    assert.match(stderr, /unknown option/)
  })
})
