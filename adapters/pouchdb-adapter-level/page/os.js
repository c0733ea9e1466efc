'use strict'

function endianness () { return new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 'LE' : 'BE' }

module.exports = { endianness }
