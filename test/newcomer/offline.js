'use strict'

const { adapter, preset } = require('./ways/embedded')

/**
 * Ways that need no network and no rights: packed tarballs, in empty folders, with node and npm alone in the path.
 *
 * @typedef {{ name: string, missing?: () => string | null, run: (packages: import('../install/packed-packages').PackedPackages) => Promise<string> }} Way
 * @type {Way[]}
 */
module.exports = [require('./ways/server'), preset, adapter, require('./ways/browser')]
