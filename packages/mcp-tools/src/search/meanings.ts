import { stemOf, wordsOf } from "./words.ts";

/**
 * What tools do, in the words that names of tools and people use for it. The first word names the action. A tool's actions are those of
 * the words of its name that stand here.
 */
const ACTIONS = `
list: list enumerate catalog overview all available which show
get: get grab show read fetch view retrieve display describe inspect see look lookup open tell print check
search: search find query look lookup seek locate discover browse hunt dig
create: create add store new make generate build insert register post draw draft compose write start set file produce
update: update edit change modify alter adjust patch set rename replace revise amend rewrite correct configure put swap
delete: delete remove drop erase destroy clear discard forget throw purge wipe empty trash unset uninstall
copy: copy duplicate clone fork replicate
move: move transfer relocate shift rename drag
send: send post submit deliver publish share mail email forward push notify tell
download: download export save fetch pull dump
upload: upload import attach load ingest
run: run execute start trigger launch invoke perform kick fire rerun
stop: stop cancel abort end halt terminate kill quit pause finish
close: close shut end quit disconnect dismiss
open: open connect launch start enter
approve: approve accept confirm sign allow permit
reject: reject decline deny refuse dismiss unapprove
assign: assign delegate allocate
validate: validate verify check lint test audit review inspect scan
count: count number total many
compare: compare diff difference versus
merge: merge join combine unite
wait: wait hold until await pause
convert: convert transform translate turn
summarize: summarize summary digest recap
monitor: monitor watch track observe follow alert
schedule: schedule book plan reserve
reply: reply answer respond comment
login: login signin authenticate
`;

/** Words that stand for one another in what tools are about, a line each. General knowledge of software, offices and the web. */
const SAME = `
folder directory dir
file document
file path
picture image photo png jpg jpeg svg bitmap icon
screenshot capture snapshot
movie video clip film
record recording screencast
sound audio voice music speech
pr pull-request
mr merge-request
issue ticket bug defect
task todo to-do assignment
repo repository codebase
branch ref
commit revision changeset
diff patch changes difference
ci pipeline build workflow
job build step
log logs output trace
tag label
comment note remark reply discussion thread answer
review reviewer feedback
user person member account people profile
team group organization
admin administrator owner maintainer
permission access right role
secret credential password token key
message mail email letter
chat conversation channel
notification alert inbox reminder
meeting appointment event calendar
contact person address
customer client
company organization business firm
order purchase
invoice bill
payment transaction charge
price cost amount
product item article
money currency
table collection sheet database
database db
row record entry document item
column field property attribute
schema structure definition shape
index indices
query statement sql
connection session
page site website web webpage url link address article
internet web online
url link href
browser tab window
website site domain
click press tap hit
button key
keyboard key shortcut
type enter text input
input field form
scroll swipe
text words content wording
print pdf
theme color style
phone mobile device
viewport window size resize
download attachment
attachment upload file
chart graph plot diagram visualization
diagram flowchart drawing sketch
tree hierarchy
map location place geographic
country region province state city
route path way trip
percentage share proportion
trend time series
timeline history
distribution histogram spread
compare comparison
formula calculation math
sum total add
docs documentation manual guide help reference
guide tutorial instruction
library package module dependency
version release
code source script program
function method
error failure exception problem crash
warning lint style
test check
performance speed fast slow
memory heap ram
environment env variable
setting config configuration option preference parameter
server host machine instance
container docker image
cluster node
process service daemon
deploy deployment release rollout publish
rollback revert undo restore
backup dump snapshot
status state progress condition health
id identifier key
name title
description summary text
date time day
duration time length
schedule cron interval
template blueprint
example sample demo
random fake dummy mock
search research
paper article publication study
author writer
report analysis
crawl spider
scrape extract
extract pull
price monitor
watch monitor observe
entity node object
relation relationship connection edge link dependency
fact observation note
graph network
team member staff employee
manager lead
project workspace board
milestone sprint iteration
epic story
priority urgency severity
deadline due overdue
emoji smiley
attachment image
parent child
block paragraph section
wiki page article
markdown md
json csv xml
zip gzip archive compress
size big bytes length
line row
byte binary
signature sign
weather forecast temperature
translate translation language
place location address position
distance route directions
restaurant hotel
flight plane airport
car vehicle
news article headline
stock share ticker
wallet coin crypto
doctor patient appointment
student course class
sensor device
light lamp
music song track playlist
accessibility a11y
cache storage
request call http
response answer reply
header headers
webhook callback notification
endpoint api route
console log
variable value
expression javascript script evaluate
popup dialog alert modal
previous back return
next forward
reload refresh
conflict clash
many multiple several bulk batch
`;

/** Short forms, and what they stand for. */
const SHORT = `
repo repository
repos repository
pr pull request
prs pull request
mr merge request
mrs merge request
db database
dir directory
dirs directory
doc documentation
docs documentation
config configuration
env environment
vars variable
var variable
img image
pic picture
msg message
auth authentication
ctx context
params parameter
args argument
attr attribute
stats statistic
info information
org organization
lib library
pkg package
ws workspace
id identifier
num number
js javascript
ts typescript
md markdown
ci pipeline
k8s kubernetes
pw password
acct account
addr address
temp temporary
del delete
rm remove
mkdir create directory
ls list directory
cp copy
mv move
cat read file
grep search
lang language
sec second
desc description
loc location
calc calculate
dev developer
perf performance
spec specification
admin administrator
app application
tel telephone
eta arrival
kb knowledge
`;

/** The stems that mean much the same as one, and how much such a word counts beside the word itself. */
export function sameMeaning(stem: string): readonly string[] {
  return SAME_BY_STEM.get(stem) ?? [];
}

/** The actions that a word may name. */
export function actionsOf(stem: string): readonly string[] {
  return ACTIONS_BY_STEM.get(stem) ?? [];
}

/** What a short form stands for, as stems. */
export function longForm(stem: string): readonly string[] {
  return LONG_BY_STEM.get(stem) ?? [];
}

/** The actions that a name of a tool states, by its words in order: the first is the likeliest. */
export function actionsOfName(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => MAIN_ACTION.get(stemOf(word)) ?? []);
}

const lines = (table: string): string[] => table.trim().split("\n");

const SAME_BY_STEM = new Map<string, string[]>();
for (const line of lines(SAME)) {
  const group = line.split(" ").flatMap((entry) => {
    const words = entry.split("-");
    return words.length === 1 ? [stemOf(entry)] : [];
  });
  for (const one of group)
    for (const other of group)
      if (one !== other) {
        const known = SAME_BY_STEM.get(one) ?? [];
        if (!known.includes(other)) SAME_BY_STEM.set(one, [...known, other]);
      }
}

const ACTIONS_BY_STEM = new Map<string, string[]>();
const MAIN_ACTION = new Map<string, string>();
for (const line of lines(ACTIONS)) {
  const [action = "", words = ""] = line.split(": ");
  for (const [index, word] of words.split(" ").entries()) {
    const stem = stemOf(word);
    const known = ACTIONS_BY_STEM.get(stem) ?? [];
    if (!known.includes(action)) ACTIONS_BY_STEM.set(stem, [...known, action]);
    if (index === 0 || !MAIN_ACTION.has(stem)) MAIN_ACTION.set(stem, action);
  }
}

const LONG_BY_STEM = new Map<string, string[]>();
for (const line of lines(SHORT)) {
  const [short = "", ...long] = wordsOf(line);
  LONG_BY_STEM.set(stemOf(short), long.map(stemOf));
}
