'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { temporaryFolder } = require('./temporary-folder')

const packageFolder = path.join(__dirname, '..')

/** Returns what a program that cannot load the package says, in one line. */
const PROGRAM = 'try { require(process.argv[1]) } catch (error) { console.log(error.code, error.message) }'

describe('an addon that was not built', () => {
  const folder = temporaryFolder()

  it('is an error that says how to build it', () => {
    const unbuilt = folder.next()
    for (const name of ['index.js', 'package.json', 'lib']) fs.cpSync(path.join(packageFolder, name), path.join(unbuilt, name), { recursive: true })
    const said = execFileSync(process.execPath, ['-e', PROGRAM, unbuilt], { encoding: 'utf8' })
    assert.match(said, /^MODULE_NOT_FOUND The addon of pmemobj is not built\. "npm rebuild pmemobj" builds it/)
  })
})
