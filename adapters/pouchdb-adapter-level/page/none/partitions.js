'use strict'

/** Databases of pages have no partitions. */
function refuse () { throw new TypeError('Pages have no partitions') }

module.exports = { TouchedPartitions: refuse, partitionInfo: refuse }
