'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const lib = path.resolve(__dirname, '../../scripts/lib/system-packages.js')

describe('setup', () => {
  let folder

  // A PATH on which nothing is but what a test puts there.
  beforeEach(() => { folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-path-')) })
  afterEach(() => rmSync(folder, { recursive: true }))

  function putInPath (name, script) {
    const file = path.join(folder, name)
    writeFileSync(file, script)
    chmodSync(file, 0o755)
  }

  /** Runs a script with `packages` (the module) and `parts` (what is missing for the tests) on that PATH. */
  function run (script) {
    const code = `const packages = require(${JSON.stringify(lib)})
      const parts = packages.missingParts({ addon: true, storage: true, browser: true })
      try { ${script} } catch (error) { console.log(error.name + ': ' + error.message) }`
    return spawnSync(process.execPath, ['-e', code], { env: { PATH: folder }, encoding: 'utf8', input: '' }).stdout
  }

  it('finds out what is missing', () => {
    assert.deepStrictEqual(run('for (const part of parts) console.log(part.packages.join())').trim().split('\n'),
      ['build-essential', 'python3', 'libpmemobj-dev', 'chromium'])
    putInPath('python3', '')
    putInPath('chromium', '')
    assert.deepStrictEqual(run('for (const part of parts) console.log(part.packages.join())').trim().split('\n'),
      ['build-essential', 'libpmemobj-dev'])
  })

  it('wants CMake and OpenSSL, and would like clang-format and libFuzzer, for the tests of the engine', () => {
    const list = 'for (const part of packages.missingParts({ addon: false, browser: false, engineTests: true })) console.log(part.packages.join(), Boolean(part.optional))'
    assert.strictEqual(run(list), 'cmake false\nlibssl-dev false\nclang-format true\nclang,libclang-rt-dev true\n')
    putInPath('cmake', '')
    symlinkSync('/bin/sh', path.join(folder, 'sh'))
    putInPath('g++', '#!/bin/sh\nexit 0\n')
    putInPath('clang++', '#!/bin/sh\nexit 1\n')
    assert.strictEqual(run(list), 'clang-format true\nclang,libclang-rt-dev true\n')
    putInPath('clang++-14', '#!/bin/sh\nexit 0\n')
    putInPath('clang-format', '')
    assert.strictEqual(run(list), '')
  })

  it('says what to install where there is no apt-get', () => {
    assert.match(run('packages.installWithApt(parts, () => {})'),
      /^InstallError: There is no apt-get here\. Please install .*\(on Debian: apt-get install build-essential python3 libpmemobj-dev chromium\)/)
  })

  it('says so where it is neither root nor has sudo', () => {
    putInPath('apt-get', '')
    assert.match(run('process.getuid = () => 1000; packages.installWithApt(parts, () => {})'), /^InstallError: Installing needs root/)
  })

  it('installs the missing packages by apt-get, by sudo for those who are not root', () => {
    const log = path.join(folder, 'log')
    for (const [name, file] of [['sh', '/bin/sh'], ['env', '/usr/bin/env'], ['touch', '/usr/bin/touch'], ['chmod', '/bin/chmod']]) {
      symlinkSync(file, path.join(folder, name))
    }
    putInPath('apt-get', `#!/bin/sh
echo "apt-get $*" >> ${log}
for name in g++ make python3 chromium; do printf '#!/bin/sh\\nexit 0\\n' > ${folder}/$name; chmod +x ${folder}/$name; done
`)
    putInPath('sudo', `#!/bin/sh
echo "sudo $1" >> ${log}
shift
exec "$@"
`)
    assert.strictEqual(run('process.getuid = () => 1000; packages.installWithApt(parts, () => {})'), '')
    const [first, update, second, install] = readFileSync(log, 'utf8').split('\n')
    assert.deepStrictEqual([first, second], ['sudo -n', 'sudo -n'])
    assert.match(update, /^apt-get .*update$/)
    assert.match(install, /^apt-get .*install -y --no-install-recommends build-essential python3 libpmemobj-dev chromium$/)
  })

  it('has failed when apt-get has, or when something is missing nevertheless', () => {
    symlinkSync('/bin/sh', path.join(folder, 'sh'))
    symlinkSync('/usr/bin/env', path.join(folder, 'env'))
    for (const code of [100, 0]) {
      putInPath('apt-get', `#!/bin/sh\nexit ${code}\n`)
      assert.match(run('process.getuid = () => 0; packages.installWithApt(parts, () => {})'), /^InstallError: apt-get could not install/)
    }
  })
})
