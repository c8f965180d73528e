"""Names of secrets, values such as people and generators make, and the forms in which both are written: each with each.

A form is a text with `%L` where the name stands and `%V` where the value stands.
"""

LABELS = """
password passwd pwd pw pass passphrase passcode pass_phrase passPhrase
smtpPw smtp_pw db_pw dbPwd DB_PASS db_pass dbpass userPass user_pass
root_pw rootpw admin_pw adminPassword ADMIN_PWD masterPassword master_pass initialPassword temp_password
tempPass temporaryPassword new_password newPass oldPassword default_password loginPassword login_pass ftpPass
ftp_pw sftp_pass sshPass ssh_passphrase keyPassword key_pass keystorePassword keystore_pass storepass
keypass truststore_password certPassword cert_pass pfx_password pfxPass p12pass bindPassword bind_pw
bindpw bindCredentials bind_secret ldapPassword ldap_pass rootPassword sudo_pass sudoPassword become_pass
vault_pass vaultPassword wifi_password wifiPass wpa_passphrase wpa_psk psk preshared_key presharedKey
sharedSecret shared_secret client_secret clientSecret app_secret appSecret secretKey secret_key SECRET_KEY_BASE
secretKeyBase signing_secret signingKey signing_key hmacSecret hmac_key jwt_secret jwtSecret JWT_KEY
sessionSecret session_secret cookieSecret cookie_key encryption_key encryptionKey encrypt_key cryptKey aes_key
masterKey master_key apiKey api_key apikey API_TOKEN apiToken access_token accessToken
accessKey access_key secretAccessKey refresh_token refreshToken idToken auth_token authToken authKey
auth_key authSecret bearerToken bearer_token deployToken deploy_key botToken bot_token webhook_secret
webhookSecret webhook_token slackToken npm_token npmToken ghToken gitToken registryPassword registry_token
dockerPassword docker_pass proxyPassword proxy_pass ProxyPass http_password httpPass basic_auth basicAuthPassword
basic_auth_password dbPassword database_password dsnPassword redisPassword redis_pass REDISCLI_AUTH requirepass masterauth
mqttPassword mqtt_pass amqpPass rabbitPass mongoPass mysqlPwd MYSQL_PWD PGPASS pg_pass
pgPassword sa_password SA_PWD oraclePw sysPassword sys_pass adminToken admin_token rootToken
unsealKey unseal_key recovery_key recoveryKey recovery_code recoveryCode backup_code unlock_code unlockCode
access_code accessCode pin_code pinCode pairing_code pairingCode totp_secret totpSecret otp_secret
otpSeed otp_seed mfa_secret mfaSeed seed_phrase seedPhrase mnemonic privateKey private_key
privKey priv_key licenseKey license_key licenceKey serialKey productKey activationKey activation_code
registration_token registrationToken enrollment_token enrollToken join_token joinToken clusterSecret cluster_token nodeToken
agent_token agentToken licenseToken sessionToken session_token sessionKey session_key X-Session X-Api-Key
X-Auth-Token X-Access-Token X-Session-Token xsrf csrf_token csrfToken sas_token sasToken storageKey
storage_key accountKey account_key connectionKey instrumentation_key ikey hec_token splunk_token datadog_key
dd_api_key sentry_auth sentryToken stripeKey stripe_secret paypalSecret twilioToken twilio_auth sendgridKey
mailgun_key mailchimpKey captcha_secret recaptchaSecret firebaseKey fcmKey fcm_server_key apnsKey pushSecret
vapid_private mapsKey maps_key snmpCommunity snmp_community community authPassword auth_pass privPassword
priv_pass enable_secret enablePassword tacacs_key radius_secret radiusSecret ipmi_pass ipmiPassword bmc_password
idrac_pw kvm_password vncPassword vnc_pw rdpPassword rdp_pass winrmPass domainPassword domain_pass
join_password joinPassword svcPassword svc_pass servicePassword service_pw technical_password ownerPassword owner_pw
userPassword openPassword zip_password zipPass archivePass archive_password backup_pass backupPassword resticPassword
borg_passphrase gpg_pass gpgPassphrase pgpPass luks_key luksPass diskPassword biosPassword bios_pass
hashSalt salt pepper kennwort Kennwort_neu dbKennwort passwort Passwort_alt benutzerPasswort
wachtwoord beheerWachtwoord contrasena contraseña clave clave_acceso claveAcceso mot_de_passe motDePasse
mdp mdp_admin senha senhaAdmin haslo hasło_admin heslo lozinka losenord
lösenord salasana adgangskode parola parolaAdmin sifre şifre geheim geheimnis
geheimwort zugangscode codice_accesso codigo_acceso código_acceso code_secret codeAcces
""".split()
# What stands in the names of passwords that people make up; what has another name is generated.
PASSWORDS = ("pass", "pw", "kennwort", "wachtwoord", "contrase", "clave", "mdp", "senha", "heslo", "has\u0142o", "parola", "sifre")
MADE_UP = (
    "Möwe.Ahoi_77", "Stroopwafel=lekker", "Línea9_Tranvía!", "Blåbär2024sol", "Umbrella-Cactus-Violin-71", "OldTrafford99",
    "rømmegrøt-til-alle", "Mozzarella%Bufala", "x7Kp2mQ9", "correctlanternharbour", "KesäJuhannus1988", "Waage*Halle#4",
    "S3cret!x", "blau.wal.44", "c9f02ab47d1e", "tortilla_de_patata", "Vigo-Celta_1923", "f2H*boje_Nord", "Tournesol/Nuit6",
    "463JYVLD7EM6", "lighthouse-umbrella-walnut", "さくら2024!ok",
)  # fmt: skip
GENERATED = ("qT7xLm2Zr9KpVw4Nc8Hd5Yb3", "9f3ac2b47d105e86c1aa7f20b3d94e5f", "GRozP2YvT6rpH/qzpnEJSgA0lYtSaNR9TGFo5iyT1jw=")
FORMS = {
    "sql_update": "UPDATE settings SET val = '%V' WHERE name = '%L' AND tenant = 12;\n-- 1 row affected",
    "fallback": "process.env['%L'] ??= '%V';\nconst app = await build();",
    "pair_of_kotlin": 'mapOf(\n    "channel" to "beta",\n    "%L" to "%V",\n)',
    "csv_of_settings": "environment,name,value\nstaging,PAGE_SIZE,25\nstaging,%L,%V\n",
    "columns_of_settings": "NAME        NAMESPACE   VALUE   AGE\nlog-level   shop        warn    41d\n%L   shop   %V   12d\n",
    "set_quoted": "acmectl config set \"%L\" '%V' --profile staging",
    "hash_of_perl": "$ENV{'%L'} = '%V';",
    "yaml": "app:\n  %L: %V\n  port: 25\n",
    "block": "stringData:\n  %L: |-\n    %V\n  region: eu\n",
    "json": '{"host": "h.example", "%L": "%V", "n": 2}',
    "env": "host=x\n%L=%V\nn=2\n",
    "ini": "host = x\n%L = %V\nn = 2\n",
    "quoted": "  %L: '%V',\n  n: 2,\n",
    "call": "f(user='bob', %L='%V')",
    "element": "<c><%L>%V</%L></c>",
    "attribute": '<c user="b" %L="%V"/>',
    "psql": " user | %L \n------+-----\n bob  | %V\n",
    "record": "-[ RECORD 1 ]---+-----\nid              | 18\n%L | %V\nupdated_at      | 2025-01-30\n",
    "columns": "NAME   %L      AGE\nbob    %V   3d\n",
    "csv": "user,%L,n\nbob,%V,3\n",
    "log": "2024-05-01 INFO x %L=%V y=2",
    "said": "[WARN] Config - overriding '%L' with value '%V' from /etc/app.conf",
    "ruby": '{"u"=>"b", "%L"=>"%V"}',
    "clojure": '{:host "h", :%L "%V", :ssl? true}',
    "erlang": '[{host,"mq1"},{\'%L\',<<"%V">>},{n,30}].',
    "manifest": "- name: %L\n  value: %V\n",
    "header": "> GET / HTTP/1.1\n> %L: %V\n> Accept: */*",
    "tfvars": 'n = 2\n%L = "%V"\nzone = "a"\n',
}
