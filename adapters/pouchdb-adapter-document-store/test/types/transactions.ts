import 'pouchdb-adapter-pmem'

// Checked by `npm run types`, not run.
export async function move (db: PouchDB.Database<{ n: number }>): Promise<string> {
  const [{ rev }] = await db.transact({ reads: [{ id: 'a', rev: null }, { id: 'b', rev: '1-x' }], writes: [{ _id: 'c', n: 1 }] })
  db.transact({ writes: [] }, (error, results) => results?.[0].id ?? error)
  // @ts-expect-error: a read says which revision it was
  await db.transact({ reads: [{ id: 'a' }] })
  return rev
}
