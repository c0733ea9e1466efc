'use strict'

const assert = require('node:assert')
const { inExampleFolder } = require('./example-folder')
const { blocks, documents, programs, read } = require('./markdown')

// The line of a shell about a process that was killed, with its own name and the process's number.
const KILLED = /^[^\n]*: line \d+: +\d+ Killed\b[^\n]*$/gm

// npx itself takes long, and prints warnings about npm's settings: this is what it runs.
const NPX = 'npx () { local name=$1; shift; "node_modules/.bin/$name" "$@"; }'

/**
 * A block of a session: lines that begin with `$ ` are commands, the others are what they print.
 *
 * @param {string} code
 * @returns {string} a script that prints the same
 */
function asScript (code) {
  const lines = code.trimEnd().split('\n').filter(line => line.startsWith('$ ')).map(line => line.slice(2))
  return `exec 2>&1\n${NPX}\n${lines.map(line => `echo ${quote(`$ ${line}`)}\n${line}`).join('\n')}\ntrue\n`
}

const quote = text => `'${text.replaceAll("'", "'\\''")}'`

/** The session as an expression: … stands for anything in a line, a line of it for any lines. */
function asPattern (code) {
  const lines = code.trimEnd().split('\n').map(line => line === '…' ? '[\\s\\S]*?' : line.split('…').map(escape).join('[^\\n]*?'))
  return new RegExp(`^${lines.join('\\n')}\\n*$`)
}

const escape = text => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

describe('sessions in READMEs', () => {
  for (const file of documents()) {
    for (const { line, code } of blocks(read(file), 'console').filter(({ notRun }) => notRun === undefined)) {
      it(`${file}:${line} goes as it says, after the programs above it`, async () => {
        const before = programs(read(file)).filter(program => program.line < line)
        const output = await inExampleFolder(async folder => {
          for (const program of before) await folder.run('example.js', program.code, process.execPath)
          return folder.run('session.sh', asScript(code), 'bash')
        })
        assert.match(output.replace(KILLED, 'Killed'), asPattern(code))
      })
    }
  }

  it('are there', () => {
    assert.ok(documents().some(file => blocks(read(file), 'console').length > 0))
  })
})
