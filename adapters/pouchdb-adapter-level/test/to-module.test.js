'use strict'

const assert = require('node:assert/strict')

const { toModule } = require('../scripts/to-module')

describe('A file as an ECMAScript module', () => {
  it('imports what it required at its top, and exports what it exported', () => {
    const code = '\'use strict\'\n\nconst all = require(\'node:crypto\')\nconst { a, b: c } = require(\'./b\')\nconst {\n  d\n} = require(\'./d\')\n\nmodule.exports = {\n  a,\n  second: c\n}\n'
    assert.equal(toModule(code), '\'use strict\'\n\nimport * as all from \'node:crypto\'\nimport { a, b as c } from \'./b\'\nimport { d } from \'./d\'\n\nexport { a, c as second }\n')
  })

  for (const [what, code] of Object.entries({
    'requires within a function': 'function f () { return require(\'./g\') }\n\nmodule.exports = { f }\n',
    'requires in a condition': 'if (f) require(\'./g\')\n\nmodule.exports = { f }\n',
    'exports something else than names': 'module.exports = { f () {} }\n',
    'exports one value': 'module.exports = f\n',
    'exports more afterwards': 'module.exports = { f }\nmodule.exports.g = f\n'
  })) it(`is refused if it ${what}`, () => assert.equal(toModule(code), undefined))
})
