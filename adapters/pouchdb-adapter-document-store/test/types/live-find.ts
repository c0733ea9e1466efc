import 'pouchdb-adapter-pmem'

// Checked by `npm run types`, not run.
export function follow (db: PouchDB.Database<{ n: number }>): () => void {
  const live = db.find({ live: true, selector: { n: { $gt: 3 } }, fields: ['n'], known: { a: '1-x', b: null } })
  const seen: string[] = []
  live.on('enter', ({ id, doc }) => seen.push(id, doc.n)).on('leave', ({ id, bookmark }) => seen.push(id, bookmark))
  // @ts-expect-error: a document that left has no content
  live.on('leave', ({ doc }) => doc)
  // @ts-expect-error: the result is whole
  db.find({ live: true, selector: {}, limit: 5 })
  return () => live.cancel()
}
