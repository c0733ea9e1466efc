import pmem = require('pouchdb-adapter-pmem')

// Checked by `npm run types`, not run.
export async function copy (db: PouchDB.Database<{ n: number }>, to: NodeJS.WritableStream): Promise<number> {
  const options: pmem.Options = { shared: false }
  const stream = await db.getAttachment('a', 'b', { stream: true })
  stream.pipe(to)
  // @ts-expect-error: only streams are told of here, the rest by @types/pouchdb-core
  await db.getAttachment('a', 'b', { stream: false })
  return options.size ?? stream.length
}
