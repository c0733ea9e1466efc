import { plugin } from './plugin.js'

// The same for `require` and for `import` as in Node.js.
module.exports = plugin
