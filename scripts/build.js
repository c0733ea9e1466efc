'use strict'

// `npm run build`: builds the native addons in place, also where nothing has changed.

const { collation, storage } = require('./lib/native-build')

for (const addon of [storage, collation]) addon.build()
