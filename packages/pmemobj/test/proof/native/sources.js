'use strict'

// For binding.gyp: the engine's sources that mention faults (`faulty`), or the objects of all others,
// the binding's too, that the package's own build has left (`objects`).

const fs = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '../../..')
const names = fs.readdirSync(path.join(root, 'src'), { recursive: true })
  .filter(name => name.endsWith('.cc')).map(name => path.join('src', name))
const isFaulty = name => fs.readFileSync(path.join(root, name), 'utf8').includes('/fault.h"')
const objectOf = name => path.join(root, 'build/Release/obj.target/pmemobj', name.replace(/\.cc$/, '.o'))

console.log(process.argv[2] === 'faulty'
  ? names.filter(isFaulty).map(name => path.join('../../..', name)).join('\n')
  : names.filter(name => !isFaulty(name)).map(objectOf).join('\n'))
