'use strict'

/** `[prefix0suffix,prefix1suffix,…]` without its brackets. */
function repeated (count, item) { return Array.from({ length: count }, (_, i) => item(i)).join(',') }

/** An object's text by how many members it has. */
function members (item) { return count => `{${repeated(count, item)}}` }

module.exports = { members, repeated }
