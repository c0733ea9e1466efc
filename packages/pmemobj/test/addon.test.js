'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { temporaryFolder } = require('./temporary-folder')

const packageFolder = path.join(__dirname, '..')
const modules = path.join(packageFolder, '../../node_modules')

/** Returns what a program that cannot load the package says, in one line. */
const PROGRAM = 'try { require(process.argv[1]) } catch (error) { console.log(error.code, error.message) }'

describe('an addon that is not there', () => {
  const folder = temporaryFolder()

  it('is an error that says what to do', () => {
    const unbuilt = folder.next()
    for (const name of ['index.js', 'package.json', 'lib']) fs.cpSync(path.join(packageFolder, name), path.join(unbuilt, name), { recursive: true })
    const said = execFileSync(process.execPath, ['-e', PROGRAM, unbuilt], { encoding: 'utf8', env: { ...process.env, NODE_PATH: modules } })
    assert.match(said, /^ADDON_MISSING The native addon of pmemobj is .*\n$/)
  })
})
