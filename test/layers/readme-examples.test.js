'use strict'

const assert = require('node:assert')
const { inExampleFolder } = require('./example-folder')
const { blocks, documents, programs, read } = require('./markdown')

/** `console.log(x) // y` → `y`, in order. */
function promisedOutput (code) {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text.trim())
}

/** Reads what the lines above an example say of its second run; undefined: it is to print the same. @returns {string | undefined} */
function ofSecondRun (markdown, line) {
  const [, said] = /[Tt]he second run prints ([^,:]+)[^\n]*:\n\n$/.exec(markdown.split('\n').slice(0, line - 1).join('\n') + '\n') ?? []
  return said
}

function assertPrinted (printed, texts) {
  const output = printed.split('\n')
  let from = 0
  for (const text of texts) {
    const at = output.indexOf(text, from)
    assert.ok(at !== -1, `does not print ${JSON.stringify(text)}, but:\n${printed}`)
    from = at + 1
  }
}

describe('examples in READMEs', () => {
  for (const file of documents()) {
    const markdown = read(file)
    for (const { line, code, isWhole } of programs(markdown)) {
      it(`${file}:${line} runs and prints what it says${isWhole ? ', twice' : ''}`, async () => {
        const promised = promisedOutput(code)
        await inExampleFolder(async folder => {
          const run = () => folder.run('example.js', code, process.execPath)
          assertPrinted(await run(), promised)
          const later = ofSecondRun(markdown, line)
          // Whoever tries an example tries it again, in the same folder.
          if (isWhole) assertPrinted(await run(), later === undefined ? promised : [later])
        })
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
