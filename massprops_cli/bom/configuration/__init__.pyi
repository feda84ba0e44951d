from massprops_cli.bom.configuration.settings import (
    ConfigurationChoice as ConfigurationChoice,
    Settings as Settings,
    keywords_with_settings as keywords_with_settings,
    read_settings as read_settings,
)
