'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { platforms } = require('../../packages/addons')
const { root } = require('../layers/workspaces')

/** The libraries of C that every system of the kind has. */
const LIBRARIES = { glibc: /^(lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux.*)$/, musl: /^libc(\.musl-\w+)?\.so(\.\d)?$/ }
const MACHINES = { x64: 'X86-64', arm64: 'AArch64' }

/** Symbols that every Node.js has: Node-API, and of its OpenSSL 3 and libuv 1 what is stable. */
const OF_NODE = /^(napi_|node_api_|EVP_|OPENSSL_|uv_thread_(create|join)$)/

describe('prebuilt addons', () => {
  for (const { name, cpu, libc } of platforms) {
    for (const addon of ['pmemobj', 'collation']) {
      describe(`${addon} for ${name}`, () => {
        const file = path.join(root, 'build/addons', name, `${addon}.node`)
        const read = (...options) => execFileSync('readelf', ['-W', ...options, file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
        before(function () { if (!fs.existsSync(file)) this.skip() })

        it('is for its processor, and needs the library of C alone', () => {
          assert.ok(read('-h').includes(MACHINES[cpu]))
          const needed = [...read('-d').matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, library]) => library)
          assert.deepStrictEqual(needed.filter(library => !LIBRARIES[libc].test(library)), [])
        })

        it('takes nothing newer than glibc 2.28 from it', () => {
          const versions = [...read('--dyn-syms').matchAll(/@GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor))
          assert.ok(Math.max(0, ...versions) <= 28, `GLIBC_2.${Math.max(...versions)}`)
          if (libc === 'musl') assert.deepStrictEqual(versions, [])
        })

        if (libc === 'musl') it('asks for no room in the static TLS block', () => assert.doesNotMatch(read('-d'), /STATIC_TLS/))

        it('asks Node.js for what is stable in it, and for nothing of V8', () => {
          const undefinedNames = [...read('--dyn-syms').matchAll(/ UND (\w+)/g)].map(([, symbol]) => symbol)
          assert.ok(undefinedNames.some(symbol => OF_NODE.test(symbol)))
          const inner = undefinedNames.filter(symbol => /^(_ZN?K?\d+(v8|node)|uv_|v8_)/.test(symbol) && !OF_NODE.test(symbol))
          assert.deepStrictEqual(inner, [])
          // All of libpmemobj is inside.
          assert.deepStrictEqual(undefinedNames.filter(symbol => /^(pmem|ndctl|daxctl)/.test(symbol)), [])
        })

        it('is hardened as the one that is built in place', () => {
          const elf = read('-h', '-l', '-d')
          assert.match(elf, /^ +GNU_RELRO/m)
          assert.match(elf, /BIND_NOW|Flags: NOW/)
          assert.match(elf, /^ +GNU_STACK +(?:0x\w+ +){5}RW +\w/m)
        })
      })
    }
  }
})
