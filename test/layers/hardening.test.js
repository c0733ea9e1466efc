'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const path = require('node:path')

// Collation fills nothing whose size the compiler knows.
const addons = [{ name: 'pmemobj', fills: true }, { name: 'collation', fills: false }]

/** Returns readelf's view of a built addon: its headers, segments, dynamic section and symbols. */
function read (name) {
  const file = path.join(__dirname, '../../packages', name, 'build/Release', `${name}.node`)
  return execFileSync('readelf', ['-hldW', '--dyn-syms', file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
}

function has (elf, sign) {
  assert.ok(sign.test(elf), `readelf shows no ${sign}`)
}

describe('hardening of the addons', () => {
  for (const { name, fills } of addons) {
    describe(name, () => {
      let elf
      before(() => { elf = read(name) })

      it('has no code that is relocated', () => {
        has(elf, /Type: +DYN/)
        assert.ok(!elf.includes('TEXTREL'))
      })

      it('binds all symbols when it is loaded, and writes to its tables no more', () => {
        has(elf, /^ +GNU_RELRO/m)
        has(elf, /BIND_NOW|Flags: NOW/)
      })

      it('runs nothing on its stack', () => {
        const [, flags] = /^ +GNU_STACK +(?:0x\w+ +){5}([RWE ]+?) +0x/m.exec(elf)
        assert.strictEqual(flags.trim(), 'RW')
      })

      it('guards its stack', () => {
        has(elf, /UND __stack_chk_fail/)
      })

      it('has calls of libc checked that fill something of a known size', function () {
        if (!fills) this.skip()
        has(elf, /UND __(mem|str|v?snprintf)\w*_chk/)
      })
    })
  }
})
