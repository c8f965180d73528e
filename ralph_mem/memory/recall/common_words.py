"""Words of ordinary English, by first letter and by how much of it holds them.

Chosen by the share of 1,200-character pieces of text that hold them, averaged over four kinds: manual pages, package
documentation, READMEs and the docstrings of the standard library, 34,000 pieces in all. Strings and not sets: a set of
two thousand words costs a hook a quarter of a millisecond to build, and a prompt asks for ten.
"""

# The first two hundred: no evidence at all.
COMMON = {
    "a": " access account add added after all alpha also and any api are argument arguments assertequal attribute available ",
    "b": " been before beta boolean but ",
    "c": (" can change changes check class cloud code com command commands config configuration const create current currently "),
    "d": " data def default defined dependencies description details directory documentation does ",
    "e": " each else enabled end environment error errors example examples except ",
    "f": " false file files first flag flags following foo for format from function ",
    "g": " gcloud get git given group ",
    "h": " has have help html http https ",
    "i": " import include information install installed instead int into its ",
    "j": " json ",
    "k": " key ",
    "l": " like line list location log ",
    "m": " make may method might mode module modules more multiple must ",
    "n": " name names new node non none not note notes npm null number ",
    "o": " object one only option optional options order org other out output ",
    "p": " package packages pass path process project property provide ",
    "r": " range read registry request resource result return returns root run running ",
    "s": " same section see self service set should size some source specified string such support synopsis system ",
    "t": " test than that the then there these they this time token true try type ",
    "u": " update use used user using ",
    "v": " value values version ",
    "w": " was when where which while wide will with without would write ",
    "y": " you your ",
}

# The next eighteen hundred: half the evidence of a word that is not listed.
ORDINARY = {
    "a": (
        " abc abi ability able abort about above absolute accept accepted accepts according across action actions active "
        "actual actually addcleanup adding addition additional additionally addr address addresses adds adduser adjust "
        "admin affect affected affects again against age agent algorithm alias aliases align alloc allocate allocated "
        "allow allowed allowing allowlist allows allowscripts almost along alongside already alt alternative "
        "alternatively altogether always amount another anyone anything apache apis app appear appears append application "
        "applications applied applies apply appropriate approve arbitrary architecture archive arg args argv aria arising "
        "arm around array arrays ascending ascii ask assert assertfalse assertin assertion assertis assertisinstance "
        "assertisnone assertnotequal assertraises assertraisesregex asserttrue assigned associate associated assume "
        "assumed async asynchronous attached attempt attempts attr attributeerror attributes audit auth authentication "
        "author authorization authors auto automatic automatically avoid await aware "
    ),
    "b": (
        " back backend background backup backward backwards bad bar base based bash basic baz because become begin "
        "beginning behavior behaviour being below best better between bgcolor big billing bin binary bind binding "
        "bindings bit bits blob block blocks blue body bool border both bound bpo branch brand break broken browser bsd "
        "bucket buf buffer buffers bug bugs build building builds built builtin bundled bypass byte bytearray bytes "
        "bytesio "
    ),
    "c": (
        " cache cached call callable callback callbacks called caller calling calls cannot case cases catch cause caused "
        "causes cellpadding cellspacing center central cert certain certificate chain changed changing channel char "
        "character characters chars charset checked checking checkout checks child children choose chunk cjs claim "
        "classes classmethod clean cleanup clear cli client clients clone close closed closing cls cluster clusters cmd "
        "codes collect collection collections color column combination come comes comma comment comments commit commits "
        "common commonjs compare comparison compatibility compatible compilation compile compiled compiler complete "
        "completed completely completion complex component components compress compressed compression compute condition "
        "conditional conditions conf configs configurations configure configured configuring conflict conflicting connect "
        "connected connection connections consider considered consistent console constant constants constructor contain "
        "contained container containing contains content contents context contexts continue contract contributor "
        "contributors control controls conversion convert converted copied copies copy copying copyleft copyright core "
        "correct corrected correctly corresponding could count course covered cpu cpython crash created creates "
        "createserver creating creation credentials cross crypto css ctx custom cwd cxx cycle "
    ),
    "d": (
        " daemon database date david day days deal debug debugger debugging dec decimal declared decode dedent dedupe deep "
        "defaults define defines defining definition definitions del delete deleted denied deny dep depend dependency "
        "dependent depending depends deprecated deprecation deps depth derived desc descending describe described "
        "describes describing descriptor descriptors design designed desired despite dest destination destroy destroyed "
        "detail detailed detect detection determine determined dev devdependencies developer developers development "
        "device devices diagnostics dict dictionary did didn diff difference differences different dir direct directly "
        "directories dirname dirs disable disabled discussion disk dispatch dispatcher display displayed displays dist "
        "distribute distributed distribution div dns doc docs document documented documents doesn doing domain don done "
        "dot double down download drop dry dst due dump dumps duplicate duplicated duration during dynamic "
    ),
    "e": (
        " earlier early easier easy echo edit editor edu effect effective either element elements elif email emit emitted "
        "empty enable enables encode encoded encoding encryption endpoint ends engine engines english enough ensure enter "
        "entire entirely entries entry enum env environ environments eof equal equivalent err errno escape especially "
        "established etc eval evaluates even event events every everything exact exactly exc exception exceptions exclude "
        "exe exec executable executables execute executed execution exist existing exists exit exits exp expand expect "
        "expected experimental explanation explicit explicitly export exported exports exposes express expression "
        "expressions ext extend extended extends extension extensions external extra extract "
    ),
    "f": (
        " fact factor factory fail failed fails failure failures fallback family far fast faster feature features fetch "
        "fetched few field fields filename filenames fileno filesystem fill filter filtering filters final finally find "
        "fitness fix fixed fixes flatten float floating flow flush folder folders follow followed follows font force "
        "foreach fork form formats formatted formatting forward found foundation four fprintf frame free ftp full fully "
        "func functionality functions funding further future "
    ),
    "g": (
        " gcc gen general generally generate generated generates generating generation generator generic getattr getitem "
        "gets getting getvalue github give gives glibc glibcxx glob global globally globals gmail gnome gnu going good "
        "google got gpg granted graph greater grep groff groups guess guide gyp "
    ),
    "h": (
        " had handle handled handler handlers handles handling happen happens hard hasattr hash having head header headers "
        "height hello helper here hereby hidden hierarchy high higher highest history home honored hook hooks host "
        "hostname how however href hyphens "
    ),
    "i": (
        " iam identical identifier identify identity ids ignore ignored ignoring image images img immediately impersonate "
        "implement implementation implementations implemented implements implied important importerror improve improved "
        "improvements inc included includes including incoming incomplete incorrect independent index indicate indicates "
        "indirect individual info init initial initialization initialize initialized input inputs insert inside inspect "
        "installation installing installs instance instances instructions integer integrity intended interactive "
        "interacts intercept interface internal internally internet interpreted interpreter introduced introduction "
        "invalid invitation invocation invoke invoked involved ipv isc isinstance isn iso issue issues item items iter "
        "iterable iterator itself "
    ),
    "j": " java javascript job jobs join jsdiff just justification ",
    "k": " karel keep keeps kernel keyerror keys keyword keywords kind kms know known kpdecker kwargs ",
    "l": (
        " label labels lambda lang language large larger last later latest latin law layout lbx leading leak learned least "
        "leave left legacy legal len length less let letter level levels liability lib libc libraries library libxslt "
        "license licenses lifecycle likely limit limitation limited limits lineno lines link linked linker links linux "
        "listed listen listening listing lists literal load loaded loader loading loads local locale localhost locally "
        "locations lock logging logic login logs long longer look looking looks lookup loop loss lot low lower lowercase "
    ),
    "m": (
        " mac machine macos macro macros made mail main maint maintained maintainers maintenance major makefile makes "
        "making man manage managed management manager managing manifest manpages manual manually many map mapped mapping "
        "margin mark marked mask master match matched matches matching math max maximum meaning means meant mechanism "
        "member members memory menu merchantability merge merged message messages meta metadata methods michael middle "
        "milliseconds min minimum minor minutes missing mit mjs mkdir mock mockagent mocked mockpool mod model modes "
        "modified modify most mount move moved mozilla msg mtk much multi "
    ),
    "n": (
        " named namespace nan native nav necessary need needed needs negative neither nested net network never newer "
        "newline newly next nodejs nodes nor normal normally nothing notice notices now npmrc npx nroff num "
        "numbers numeric "
    ),
    "o": (
        " obj objects obtain occur occurred occurs off offset often old older omit omitted once ones open opened openssl "
        "operate operates operating operation operations operator opt optionally opts organization organizations orig "
        "origin original oserror others otherwise otp our outdated outputs outside over overflow overridden override "
        "overrides overview own owner "
    ),
    "p": (
        " pack packed packet page pages paging pair pairs param parameter parameters params parent parse parsed parser "
        "parsing part partial particular parts party passed passing password patch patches pathname paths pattern "
        "patterns peer peerdependencies pending people pep per perf perform performance performed period perl permission "
        "permissions permit permitted person pickle pid pip pipe pipeline pkg place placed plain platform platforms "
        "please plus png point pointer pointers points policies policy pool pools pop port portable pos position "
        "positional positive posix possible possibly post postinstall pre precedence predefined prefer preferred prefix "
        "prefixed preinstall prepare prerelease present pretty prevent prevents previous previously primary principal "
        "print printed printf printing prints prior priority private probably problem problems proc processed processes "
        "processing prod produce production profile program programlisting programs progress projects promise prompt "
        "prompted properly properties proto protocol protocols provided provider provides providing proxy prune pseudo "
        "pub public publish published publishing pull purpose purposes push put python "
    ),
    "q": " qualified query queue quiet quote quotes ",
    "r": (
        " raise raised raises random ranges rather raw readable reading readline readme reads ready real really reason "
        "reasons rebase rebuild receive received receiving recent recommend recommended record records recursive red "
        "reduce ref refer reference referenced references refers refs regardless regex regexp region regions register "
        "registered registries regression regular rel related relative release releases relevant remaining remote remove "
        "removed removes removing rename replace replaced reply repo report reported reporting reports repositories "
        "repository repr represent representation represents req requested requests require required requirements "
        "requires res reserved reset resolution resolve resolved resolves resolving resources respectively response rest "
        "restart restore resulting results resume retrieve retry returned returning reverse revoke rfc right rights role "
        "roles rule rules runs runtime runtimeerror "
    ),
    "s": (
        " safe safety sample satisfy save saved saving say scan scheme scope scoped scopes screen script scripts search "
        "sec second seconds sections secure security seek seen select selected selecting selector selectors semantics "
        "semver send sending sent sep separate separated sequence sequences server servers services session "
        "setglobaldispatcher sets setting settings setup several sha shall shallow shape share shared shell short "
        "shorthand show shown shows shrinkwrap shutdown side sig sign signal signature signatures signed silently similar "
        "simple simply since single site sizeof skip skipif skipped skiptest skipunless small snapshot sock socket "
        "sockets socks socksclient software solaris something sometimes sort sorted sources space spaces spam span spawn "
        "spdx spec special specific specifically specification specifier specifies specify specifying speed split src ssh "
        "ssl stability stable stack stage standard standards start started starting starts startswith stat state "
        "statement states static status statuscode std stderr stdin stdio stdlib stdout step steps still stop storage "
        "store stored str strategy stream streams strict strings strip strong strongly struct structure structures studio "
        "stuff style stylesheet sub subclass subject submit submitted submodule subprocess subsequent subset substantial "
        "subtest success successful successfully suffix suitable suite summary sun super supplied supported supports "
        "suppress sure svg switch symbol symbolic symbols symlink symlinks sync syntax sys systemd systems "
    ),
    "t": (
        " tab table tables tag tags take taken takes taking tar tarball target targets task tasks tcp team tell tells temp "
        "template templates temporary term terminal terminated terms testcase tested testfn testing tests text textraw "
        "their them therefore thing things third those though thread threading threads three through throw thus timeout "
        "times timestamp timezone title tls tmp todo together tokens too tool tools top topic tostring total trace "
        "traceback track tracker tracking trailers trailing transfer transform translation translations transport treat "
        "treated tree tries trigger triggers troff trust trusted trying tty tuple turn two txt typeerror types typescript "
        "typically typing "
    ),
    "u": (
        " udp uid uint unaware undefined under underlying underscores undici unicode uninstall unique unit unittest unix "
        "unknown unless unlike unlimited unlink unnecessary unset unsigned unspecified unsupported until unused updated "
        "updates updating upgrade upon upstream uri uris url urls usage useful username users uses usr usual usually utf "
        "util utilities utility utils uuid "
    ),
    "v": (
        " val valgrind valid validate valueerror var variable variables variant variants various vars verbose verbosity "
        "verify versions very via view virtual visible visual void "
    ),
    "w": (
        " wait waiting want warn warning warnings warns warranties way ways web well were what whatever whether whitespace "
        "who whole whose why width win window windows within won word words work worker workflows working works workspace "
        "workspaces world wrap wrapper writable writes writing written wrong www "
    ),
    "x": " xcode xml xsl xslt xsltinternals xxx ",
    "y": " yaml year yes yet yield yml ",
    "z": " zak zero zip zlib zone zones ",
}


# Words that every project is full of: they order, but they are no evidence that a memory is meant.
WEAK = (
    " add answer api app application args argument available avoid bash behavior best better big bin block branch broke"
    " broken bug build call case cause change check choose class clean clear cli cmake code com command comment commit"
    " compare config confirm content correct correctly create css csv current data debug default delete dependency describe"
    " detail dev different dir directly directory doc docker documentation edit empty enable end ensure env error exactly"
    " example exist explain fail false feature field file find first fix flag folder following format found full function"
    " git github golang handle happen help history html http https idea implement implementation import improve include info"
    " input install int internal issue item java javascript job json keep key last level lib library line linux list load"
    " local log logic long look macos main master merge message method missing model module move multiple name new node none"
    " npm null number object old open option org output package page parameter part pass passing path pattern piece pip"
    " place plan point practice print problem process program project properly pull push pytest python question quick ran"
    " read readme real reason recommend refactor reference relevant remove rename replace repo repository request result"
    " return review root run rust save script second section send separate server service session sessions set setting setup"
    " shell short show similar simple size skip small source specific sql src start state status step string structure"
    " suggest summary support sure system task tell test tests text thing think three time title tmp today together toml"
    " tool top true try turn two type typescript understand unit unused update url usage user usr value variable venv verify"
    " version view warning whole windows work world write written wrong wrote www xml yaml yesterday "
)
# What people say who talk about their day, of which manuals are silent: written down by hand.
EVERYDAY = {
    "a": (
        " absolutely accident ache act admire adult adventure advice afraid afternoon ago agree air alive alone "
        "alright amaze amazing ambition angry animal anniversary annoy anxious anybody anymore anyway apart apartment "
        "apologize appreciate april area arrange arrive art ashamed asleep ate attend attention attitude august aunt "
        "autumn awake award awesome awful "
    ),
    "b": (
        " baby bag bake ball band bank barely bath bathroom beach bear beat beautiful beauty became bed bedroom beer "
        "beg began believe belong beloved beside bet bike bird birth birthday bite blame bless blow boat bond bone "
        "book bored boring born boss bother bottle bottom bought bowl boy brain brave bread breakfast breath breathe "
        "bridge brief bright brilliant bring brother brought brown buddy bunch burn bus business busy butter buy "
    ),
    "c": (
        " cake calm came camera camp car card care career careful carry cat caught celebrate century certainly chair "
        "challenge chance charity charm chat cheap cheer cheese chicken childhood chill chocolate chose chosen church "
        "cinema circle city classic climb clothes club coach coast coat coffee cold colleague college colour comfort "
        "comfortable company competition complain concert confidence confident congrats congratulations conversation "
        "cook cookie cool corner cost couch country county couple courage cousin coworker craft crazy cream creative "
        "crowd cry culture cup curious customer cut cute "
    ),
    "d": (
        " dad daily dance danger dark darling daughter dawn dead deadline dear death decade december decide decision "
        "definitely delicious delight deliver demo dentist deserve desk diet dinner dirty disappoint discover discuss "
        "discussed doctor dog dollar door doubt drama drank draw drawer dream dress drew drink drive driver drove "
        "drunk dude dust duty "
    ),
    "e": (
        " ear earn earth ease easily east eat education effort egg eight elder eleven embarrass emotion employ "
        "encourage enemy energy engage enjoy enormous evening everybody everyday everywhere evil exam excellent "
        "excite excited exciting excuse exercise expensive experience explore eye "
    ),
    "f": (
        " face fair fall familiar famous fan fantastic farm fashion fat father fault favorite favour favourite fear "
        "february feed feel feeling feet fellow felt festival fifty fight figure film finger finish fire fish fishing "
        "fit five flat flew flight floor flower fly folk food fool foot football forever forget forgive fortune forty "
        "fought fresh friday friend friendly friendship frighten fruit frustrate fulfill fun funny furniture "
    ),
    "g": (
        " gain game garage garden gather gave genius gentle gift girl girlfriend glad glass goal god gold golden gonna "
        "goodbye gorgeous gotta gotten grab graduate grandfather grandma grandmother grandparent grass grateful gray "
        "green greet grew grey ground grow growth guard guessed guest guilty guitar guy gym "
    ),
    "h": (
        " habit hair half hall hand handsome hang happily happiness happy hardly hat hate heal health healthy hear "
        "heard heart heat heaven heavy held hero hide hike hill hire hit hobby hold holiday honest honestly honey "
        "honor hope hoped hopefully hoping horrible horse hospital hot hotel hour house housing hug huge human "
        "hundred hung hungry hunt hurry hurt husband "
    ),
    "i": (
        " ice imagine impossible impress incredible indeed indoor influence injure inspiration inspire interest "
        "interested interesting interview invite island "
    ),
    "j": " jacket january joke journey joy judge juice july jump june justice ",
    "k": " keen kept kick kid kill kinda kinds king kiss kitchen knee knew knock knowledge ",
    "l": (
        " lack lady lake land late lately laugh lawyer lazy lead leader learn led leg lesson lie life lift light lip "
        "literally little live lonely lose lost lots loud love lovely lover luck lucky lunch "
    ),
    "m": (
        " mad magic mainly march market marriage marry matter meal mean meat medal medical medicine meet meeting men "
        "mental mention mess met midnight mile milk million mind minute miss mistake mix mom moment monday money "
        "monster month mood moon morning mostly mother motivate motivation mountain mouse mouth movie mum museum "
        "music myself "
    ),
    "n": (
        " narrow nature near nearby nearly neck neighbor neighborhood neighbour nephew nervous news newspaper nice "
        "niece night nine nobody noise north nose novel november nurse nut "
    ),
    "o": " obvious obviously ocean october odd offer office officer okay opinion opportunity orange outdoor oven owe ",
    "p": (
        " paid pain paint painting pan paper park parking partner passion past patient pay peace peaceful pen perfect "
        "perfectly perhaps pet phone photo piano pick picture pie pizza plane planet planned planning plant plate "
        "play player pleasant pleasure plenty pocket poem poet poetry police polite poor popular pot potato pour pray "
        "president pressure price prize profession proper protect proud prove punch purple "
    ),
    "q": " quarter queen quickly quit quite ",
    "r": (
        " race rain rarely reach react realize recently recipe recognize regret relate relationship relax relief "
        "remember remind rent replay respect restaurant rice rich ride ring rise risk river road rock rode roof room "
        "rose rough round rude ruin rush "
    ),
    "s": (
        " sad sail salad salary sale salt sand sandwich sang sat saturday saw scare scary scene schedule school "
        "science sea season seat secret seldom sell sense september serious seriously seven shade shake shame sharp "
        "shirt shock shoe shoot shop shopping shore shoulder shout shower shut shy sick sight silence silly silver "
        "sing singer sir sister sit situation six skill skin sky sleep slept slide slow slowly smart smell smile "
        "smoke smooth snack snow soccer social society soft sold soldier solid somebody somehow someone somewhere son "
        "song soon sorry sorta sorts soul soup south speak speech spend spent spirit spoke sport spreadsheet spring "
        "square stair stand star stay steak steal stick stomach stood storm story strange stranger street stress "
        "stressful stuck student study stupid suddenly suffer sugar suit summer sunday sunny sunset supper suppose "
        "surprise surprised surround sweet swim "
    ),
    "t": (
        " tale talent talk tall taste taught tea teach teacher tear technique teenager teeth television ten tennis "
        "terrible terrific thank theater thirty thought thousand threw throat thursday ticket tie till tiny tired toe "
        "told tomorrow tone tonight tooth totally touch tough tour toward town toy trade tradition traffic train "
        "trainer training travel trick trip trouble truck truly truth tuesday twelve twenty twice twin "
    ),
    "u": " ugly uncle understanding understood unfortunately unhappy university upset ",
    "v": " vacation van vegetable video village visit visitor voice volunteer vote ",
    "w": (
        " wake walk wall wanna warm wash watch water wave wealth wear weather wedding wednesday week weekend weekly "
        "weigh weird welcome went west wet wheel whenever wherever white wife wild wind wine winner winter wise wish "
        "woke woman women wonder wonderful wood wore workout worry worse worst worth wow writer "
    ),
    "y": " yard yeah yellow yoga young ",
    "z": " zoo ",
}
