"""Several computers, one collection: what `deltadeck sync` does with git, and with conflict copies.

run          one sync: copies cleared away, then each repository: commit, fetch, merge, push
git          the real program, without a shell or a terminal; repositories, trees, its errors
commit       what changed here, as a commit; what a repository must know of a collection
remote       where a remote is, which branch there goes with ours, what is fetched and pushed
merge        three trees to one, cards by their ids
files        which files travel; two versions of a card or of the settings to one
driver       the union of journals, and git's merge driver for them
apply        the merged tree to the files, each whole or not at all
conflicts    versions of a card that are still to be chosen from, and the copies that become some

Every step may be killed: it leaves files that are whole, and the next sync begins again from them.
"""
