'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { root } = require('../node-modules')
const { VERSION } = require('./pmdk')

/**
 * Makes a folder with addons a package that npm publishes.
 *
 * @param {string} folder
 * @param {import('../../../packages/addons').Platform} platform
 * @param {{ pmdk: string, zig: string }} sources folders of what is inside the addons
 */
function writePackage (folder, platform, sources) {
  const { version, license, repository, engines, publishConfig } = JSON.parse(fs.readFileSync(path.join(root, 'packages/addons/package.json'), 'utf8'))
  const name = `@potoroo/addons-${platform.name}`
  const manifest = {
    name,
    version,
    description: `The native addons of Potoroo for ${platform.name}`,
    license: `${license} AND BSD-3-Clause AND MIT`,
    repository,
    os: [platform.os],
    cpu: [platform.cpu],
    libc: [platform.libc],
    files: ['*.node', 'THIRD-PARTY-LICENSES'],
    engines,
    publishConfig
  }
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  fs.writeFileSync(path.join(folder, 'README.md'), `# ${name}\n\nThe native addons of Potoroo for ${platform.name}. \`@potoroo/addons\` loads them; nobody needs to install this by hand.\n`)
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  fs.writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES'), licences(sources))
}

/** @param {{ pmdk: string, zig: string }} sources */
function licences ({ pmdk, zig }) {
  const parts = [
    { what: `PMDK ${VERSION} (libpmemobj, libpmem), inside pmemobj.node`, file: path.join(pmdk, 'LICENSE') },
    { what: 'libc++, libc++abi and libunwind of LLVM, inside both', file: path.join(zig, 'lib/libcxx/LICENSE.TXT') },
    { what: 'zig, whose compiler support is inside both', file: path.join(zig, 'LICENSE') },
    { what: 'node-addon-api, inside pmemobj.node', file: path.join(path.dirname(require.resolve('node-addon-api')), 'LICENSE.md') }
  ]
  return parts.map(({ what, file }) => `${what}\n${'='.repeat(what.length)}\n\n${fs.readFileSync(file, 'utf8').trim()}\n`).join('\n\n')
}

module.exports = { writePackage }
