'use strict'

const path = require('node:path')
const { root } = require('../layers/workspaces')

/** The folder that `node test/install/fetch-nodes.js` fills. */
const folder = path.join(root, 'build/nodes')

/**
 * Other Node.js than the one that runs this: as npm's packages, and for musl as PyPI's.
 *
 * @typedef {{ name: string, version: string, platform: string, integrity?: string, sha256?: string }} OtherNode
 * @type {OtherNode[]}
 */
const nodes = [
  { name: 'node-18', version: '18.20.8', platform: 'linux-x64', integrity: 'sha512-JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==' },
  { name: 'node-22', version: '22.23.3', platform: 'linux-x64', integrity: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==' },
  { name: 'node-24', version: '24.15.0', platform: 'linux-x64', integrity: 'sha512-G35ERldRkV41Igf2JarykT89NfwENelshM1G2HcGUwFMMQcoL54Q2e4jr/SndyWVoWBsMho5uyesryyTH7WXVA==' },
  { name: 'node-arm64', version: '22.23.3', platform: 'linux-arm64', integrity: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==' },
  { name: 'node-musl', version: '22.20.0', platform: 'linux-x64-musl', sha256: 'd29705797b33bade62d79d8f106c2453c8a26442a9b2a5576610c0f7e7c351ed' },
  { name: 'node-arm64-musl', version: '22.20.0', platform: 'linux-arm64-musl', sha256: '3279eb1b99521f0d20a850bbfc0159a658e0e85b843b3cf31b090d7da9f10dfc' }
]

/** Its program, or a script that runs it by its loader or by QEMU. @param {OtherNode} node */
function programOf ({ name }) { return path.join(folder, name, 'run') }

/** A later npm than the one that comes with this Node.js. It needs Node.js 22. */
const npm = { version: '12.2.1', integrity: 'sha512-bKCmFRVT/BB+YPEYbZwQ1XUI3N5t4xKSpU1MxOjo7z3iWzKBJ0ZXRC1xFdEN+TC7N5TdywaBzf2dMXGJq/e2PQ==', program: path.join(folder, 'npm/package/bin/npm-cli.js') }

module.exports = { folder, nodes, npm, programOf }
