'use strict'

const assert = require('node:assert')
const { inExampleFolder } = require('./example-folder')
const { blocks, documents, programs, read } = require('./markdown')

/** `console.log(x) // y` → `y`, in order. */
function promisedOutput (code) {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text.trim())
}

describe('examples in READMEs', () => {
  for (const file of documents()) {
    for (const { line, code } of programs(read(file))) {
      it(`${file}:${line} runs and prints what it says`, async () => {
        const output = (await inExampleFolder(folder => folder.run('example.js', code, process.execPath))).split('\n')
        let from = 0
        for (const text of promisedOutput(code)) {
          const at = output.indexOf(text, from)
          assert.ok(at !== -1, `does not print ${JSON.stringify(text)}, but:\n${output.join('\n')}`)
          from = at + 1
        }
      })
    }
  }

  it('of pmemobj all run, but for those that say why not', () => {
    for (const file of documents().filter(name => name.startsWith('packages/pmemobj/'))) {
      const idle = blocks(read(file), 'js').filter(({ notRun }) => notRun === undefined).length - programs(read(file)).length
      assert.strictEqual(idle, 0, `${file} has ${idle} that do not`)
    }
  })

  it('are there', () => {
    assert.ok(documents().some(file => programs(read(file)).length > 0))
  })
})
